// Kuznyechik, Magma, GOST 28147-89: objects that hold a key.
#include "algorithm.hpp"
#include "bindings.hpp"
#include "errors.hpp"

namespace vershina::python {
namespace {

using Name = std::optional<std::string>;

constexpr size_t kSboxLen = 8 * 16;

// The three differ only in their constructors.
struct Kuznyechik : Algorithm {
  Kuznyechik(const Buffer& key, Engine engine) : Algorithm(VSH_KUZNYECHIK, "kuznyechik", key, std::move(engine)) {}
};
struct Magma : Algorithm {
  Magma(const Buffer& key, Engine engine) : Algorithm(VSH_MAGMA, "magma", key, std::move(engine)) {}
};
struct Gost28147 : Algorithm {
  Gost28147(const Buffer& key, nb::handle sbox, Engine engine)
      : Algorithm(VSH_GOST28147, "gost28147", key, std::move(engine), sbox) {}
};

#define VSH_ENGINE_DOC                                                                                                 \
  "threads: at most so many for large buffers, 0 means all. kernel: force one by its variant, such as 'avx2' (see "    \
  "kernels()).\n"                                                                                                      \
  "device: who does large requests: 'cpu', 'auto', 'all', or a device such as 'cuda:0' (see devices()).\n"             \
  "allow_tables: kernels whose addresses depend on the key may be chosen: faster block by block, not constant-time.\n" \
  "The copy of the key that this object holds is erased when it goes. ValueError: a key of another length."

template <class Cipher>
void bind_cipher(nb::module_& module, const char* name, const char* doc) {
  nb::class_<Cipher, Algorithm>(module, name, doc)
      .def(
          "__init__",
          [](Cipher* self, const Buffer& key, unsigned threads, Name kernel, bool allow_tables, Name device) {
            new (self) Cipher(key, Engine{threads, std::move(kernel), allow_tables, std::move(device)});
          },
          "key"_a, nb::kw_only(), "threads"_a = 1, "kernel"_a = nb::none(), "allow_tables"_a = false,
          "device"_a = nb::none());
}

}  // namespace

Sbox::Sbox(nb::handle given) {
  if (PyUnicode_Check(given.ptr())) {
    const std::string name = nb::cast<std::string>(given);
    if (vsh_sbox_by_name(&id_, name.c_str()) != VSH_OK) throw Failure(VSH_E_SBOX, name);
    return;
  }
  const Input rows("sbox", given);
  if (rows.size() != kSboxLen) {
    throw Failure(VSH_E_SBOX, "8 rows of 16 values are 128 bytes, not " + std::to_string(rows.size()));
  }
  custom_.emplace(rows);
  id_ = VSH_SBOX_CUSTOM;
}

const Algorithm& cipher_of(nb::handle given, const char* right) {
  if (nb::isinstance<Algorithm>(given)) return nb::cast<const Algorithm&>(given);
  const std::string text = "a cipher is needed, not " + name_of_type(given) + ": " + right;
  throw nb::type_error(text.c_str());
}

void refuse_mode(const std::string& name) {
  const std::string text = "this cipher has no such mode: " + name;
  throw nb::value_error(text.c_str());
}

vsh_mode mode_by_name(const std::string& name) {
  vsh_cipher_algorithm same;
  vsh_mode mode;
  if (vsh_cipher_by_name(&same, &mode, name.c_str()) != VSH_OK) refuse_mode(name);
  return mode;
}

Algorithm::Algorithm(vsh_cipher_algorithm id, const char* name, const Buffer& key, Engine engine, nb::handle sbox)
    : id_(id), name_(name), key_(Input("key", key)), engine_(std::move(engine)), sbox_(sbox ? Sbox(sbox) : Sbox()) {
  const size_t len = this->key().size();
  if (len != VSH_KEY_LEN)
    throw Failure(VSH_E_KEY_LENGTH, std::string(name) + ", " + length_text("key", len, VSH_KEY_LEN));
  if (!engine_.kernel) return;
  Options options = this->options();  // a kernel that is not there is refused here, not at its first use
  options.device = nullptr;
  explained(std::string(name) + ", kernel " + *engine_.kernel,
            [&] { Cipher(id, VSH_ECB, VSH_ENCRYPT, this->key(), {}, options); });
}

void bind_algorithms(nb::module_& module) {
  nb::class_<Algorithm>(module, "BlockCipher", "A block cipher with its key: Kuznyechik, Magma or GOST28147.")
      .def_prop_ro("name", &Algorithm::name, "'kuznyechik', 'magma' or 'gost28147'.")
      .def_prop_ro("block_size", &Algorithm::block_len, "Bytes of a block: 16 or 8.")
      .def_prop_ro(
          "key_size", [](const Algorithm& a) { return a.key().size(); }, "Bytes of the key: 32.")
      .def("__repr__", [](const Algorithm& a) { return "<vershina cipher " + std::string(a.name()) + ">"; });

  bind_cipher<Kuznyechik>(
      module, "Kuznyechik",
      "Kuznyechik, GOST R 34.12-2015 clause 4, RFC 7801: block 16 bytes, key 32 bytes.\n\n" VSH_ENGINE_DOC);
  bind_cipher<Magma>(module, "Magma",
                     "Magma, GOST R 34.12-2015 clause 5, RFC 8891: block 8 bytes, key 32 bytes.\n\n" VSH_ENGINE_DOC);
  nb::class_<Gost28147, Algorithm>(
      module, "GOST28147",
      "GOST 28147-89, RFC 5830: block 8 bytes, key 32 bytes.\n\n"
      "sbox: name of a set ('tc26-z', 'cryptopro-a' or the id-... name; see sboxes()), or 128 bytes, 8 rows of 16 "
      "values 0..15:\n"
      "row i substitutes nibble i, 0 is the least significant; each must be a permutation.\n" VSH_ENGINE_DOC)
      .def(
          "__init__",
          [](Gost28147* self, const Buffer& key, nb::object sbox, unsigned threads, Name kernel, bool allow_tables,
             Name device) {
            new (self) Gost28147(key, sbox, Engine{threads, std::move(kernel), allow_tables, std::move(device)});
          },
          "key"_a, nb::kw_only(), "sbox"_a.sig("'tc26-z'") = "tc26-z", "threads"_a = 1, "kernel"_a = nb::none(),
          "allow_tables"_a = false, "device"_a = nb::none(),
          nb::sig(
              "def __init__(self, key: typing_extensions.Buffer, *, sbox: str | typing_extensions.Buffer = 'tc26-z', "
              "threads: int = 1, kernel: str | None = None, allow_tables: bool = False, device: str | None = None) "
              "-> None"));
}

}  // namespace vershina::python
