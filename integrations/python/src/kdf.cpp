// Key derivation, passwords, trees of keys, key wrapping.
#include "algorithm.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

using Kernel = std::optional<std::string>;

std::string length_of(const char* what, size_t len) { return std::string(what) + " of " + bytes_text(len); }

nb::bytes kdf(const Buffer& key, const Buffer& label, const Buffer& seed) {
  const Input k("key", key), l("label", label), s("seed", seed);
  const NewBytes out(VSH_KDF_LEN);
  explained(length_of("key", k.size()), [&] {
    check(vsh_kdf(out.room().data(), out.room().size(), k.view().data(), k.size(), l.view().data(), l.size(),
                  s.view().data(), s.size(), nullptr));
  });
  return out.take();
}

nb::bytes kdf_tree(const Buffer& key, const Buffer& label, const Buffer& seed, size_t length, unsigned counter_len) {
  const Input k("key", key), l("label", label), s("seed", seed);
  const NewBytes out(length);
  without_gil(length, [&] {
    explained(
        length_of("key", k.size()) + ", " + length_of("output", length) + ", " + length_of("counter", counter_len),
        [&] {
          check(vsh_kdf_tree(out.room().data(), length, k.view().data(), k.size(), counter_len, l.view().data(),
                             l.size(), s.view().data(), s.size(), nullptr));
        });
  });
  return out.take();
}

nb::bytes prf(const std::string& name, const Buffer& key, const Buffer& seed, size_t length, const Buffer& label) {
  vsh_prf_algorithm algorithm;
  explained(name, [&] { check(vsh_prf_by_name(&algorithm, name.c_str())); });
  const Input k("key", key), l("label", label), s("seed", seed);
  const NewBytes out(length);
  without_gil(length, [&] {
    explained(name + ", " + length_of("key", k.size()) + ", " + length_of("label", l.size()) + ", " +
                  length_of("output", length),
              [&] {
                check(vsh_prf(out.room().data(), length, algorithm, k.view().data(), k.size(), l.view().data(),
                              l.size(), s.view().data(), s.size(), nullptr));
              });
  });
  return out.take();
}

nb::bytes pbkdf2(const Buffer& password, const Buffer& salt, uint32_t iterations, size_t length, unsigned threads,
                 Kernel kernel) {
  const Input p("password", password), s("salt", salt);
  const NewBytes out(length);
  const Engine engine{threads, std::move(kernel), false};
  const Options options = engine.options();
  without_gil(kReleaseLen, [&] {
    explained(std::to_string(iterations) + " iterations, " + length_of("output", length), [&] {
      check(vsh_pbkdf2(out.room().data(), length, p.view().data(), p.size(), s.view().data(), s.size(), iterations,
                       &options));
    });
  });
  return out.take();
}

class TlsTreeObject {
 public:
  TlsTreeObject(const std::string& suite, const Buffer& root) : tree_(make(suite, Input("root", root))) {}
  nb::bytes key(uint64_t seqnum) {
    return to_bytes(
        lock_.run(0, [&] { return explained("record " + std::to_string(seqnum), [&] { return tree_.key(seqnum); }); }));
  }

 private:
  static TlsTree make(const std::string& suite, const Input& root) {
    return explained(suite + ", " + length_of("root", root.size()), [&] {
      vsh_tlstree_suite id;
      check(vsh_tlstree_by_name(&id, suite.c_str()));
      return TlsTree(id, root);
    });
  }
  TlsTree tree_;
  Lock lock_;
};

class EspTreeObject {
 public:
  explicit EspTreeObject(const Buffer& root) : tree_(make(Input("root", root))) {}
  nb::bytes key(uint8_t i1, uint16_t i2, uint16_t i3) {
    return to_bytes(lock_.run(0, [&] { return tree_.key(i1, i2, i3); }));
  }

 private:
  static EspTree make(const Input& root) {
    return explained(length_of("root", root.size()), [&] { return EspTree(root); });
  }
  EspTree tree_;
  Lock lock_;
};

using WrapFunction = decltype(&vsh_wrap);

nb::bytes wrapped(WrapFunction function, const std::string& name, const Buffer& kek, const Buffer& key,
                  const std::optional<Buffer>& iv, nb::handle sbox, bool allow_longer) {
  const Input k("kek", kek), in("key", key);
  std::optional<Input> iv_held;
  if (iv) iv_held.emplace("iv", *iv);
  const View iv_in = iv_held ? iv_held->view() : View{};
  const Sbox box(sbox);
  Options options;
  vsh_wrap_algorithm algorithm;
  size_t len = 0;
  const std::string detail = name + ", " + length_of("KEK", k.size()) + ", " + length_of("IV", iv_in.size()) + ", " +
                             length_of(allow_longer ? "key" : "wrapped key", in.size());
  explained(detail, [&] { check(vsh_wrap_by_name(&algorithm, name.c_str())); });
  if (algorithm != VSH_KEXP15_KUZNYECHIK && algorithm != VSH_KEXP15_MAGMA) box.apply(options);
  const NewBytes out(in.size() + (allow_longer ? iv_in.size() + VSH_MAX_BLOCK_LEN : 0));
  without_gil(in.size(), [&] {
    explained(detail, [&] {
      check(function(out.room().data(), out.room().size(), &len, algorithm, k.view().data(), k.size(), iv_in.data(),
                     iv_in.size(), in.view().data(), in.size(), &options));
    });
  });
  return out.take(len);
}

}  // namespace

void bind_kdf(nb::module_& module) {
  module.def("kdf", &kdf, "key"_a, "label"_a, "seed"_a,
             "KDF_GOSTR3411_2012_256, RFC 7836 4.5, R 50.1.113-2016: 32 bytes.\n\n"
             "key: from 1 byte on, 32 are usual. label, seed: as the protocol says, which should fix their lengths.");
  module.def("kdf_tree", &kdf_tree, "key"_a, "label"_a, "seed"_a, "length"_a, nb::kw_only(), "counter_len"_a = 1,
             "KDF_TREE_GOSTR3411_2012_256, RFC 7836 4.4: length bytes.\n\n"
             "counter_len: R, 1 to 4 bytes. length: at most 32 * (2^(8 * counter_len) - 1); it enters every part, so a "
             "shorter output\n"
             "is not the beginning of a longer one.");
  module.def("prf", &prf, "name"_a, "key"_a, "seed"_a, "length"_a, nb::kw_only(), "label"_a = nb::bytes(""),
             "A pseudorandom function of RFC 7836 4.2, R 50.1.113-2016 4.2: length bytes.\n\n"
             "name: 'prf-tls-256' (RFC 5246 5 over label and seed), 'prf-ipsec-keymat-256' (RFC 2409 5.5), "
             "'prf-ipsec-prfplus-256'\n"
             "(RFC 7296 2.13: at most 255 times 32 or 64 bytes), or the same with 512. label: of PRF_TLS alone.");
  module.def("pbkdf2", &pbkdf2, "password"_a, "salt"_a, "iterations"_a, "length"_a = 32, nb::kw_only(), "threads"_a = 1,
             "kernel"_a = nb::none(),
             "PBKDF2 with HMAC-Streebog-512, RFC 9337, R 50.1.111-2016: length bytes.\n\n"
             "password: UTF-8 by the RFC. iterations: at least 1; the RFC asks for 1000 and more, today's machines for "
             "far more. Each 64\n"
             "bytes are a chain of iterations of their own; they run side by side. Cannot be interrupted: bound what a "
             "hostile file\n"
             "may ask for. The GIL is released.");
  nb::class_<TlsTreeObject>(
      module, "TLSTree",
      "TLSTREE, RFC 9189 8.1, RFC 9367 4.1.2: the keys of TLS records.\n\n"
      "suite: 'kuznyechik-ctr-omac', 'magma-ctr-omac', 'kuznyechik-mgm-l', 'magma-mgm-l', 'kuznyechik-mgm-s',\n"
      "'magma-mgm-s'. root: 32 bytes. Keys in order cost one derivation or none, others three.")
      .def(nb::init<const std::string&, const Buffer&>(), "suite"_a, "root"_a)
      .def("key", &TlsTreeObject::key, "seqnum"_a,
           "The key of record seqnum, 32 bytes. ValueError beyond the suite's last record.");
  nb::class_<EspTreeObject>(module, "ESPTree", "ESPTREE, RFC 9227: the keys of ESP packets. root: 32 bytes.")
      .def(nb::init<const Buffer&>(), "root"_a)
      .def("key", &EspTreeObject::key, "i1"_a, "i2"_a, "i3"_a,
           "The key of 32 bytes for i1, i2, i3 (8, 16, 16 bits), with which the IV of a packet begins.");
  module.def(
      "wrap",
      [](const std::string& name, const Buffer& kek, const Buffer& key, const Buffer& iv, nb::object sbox) {
        return wrapped(vsh_wrap, name, kek, key, iv, sbox, true);
      },
      "name"_a, "kek"_a, "key"_a, "iv"_a, nb::kw_only(), "sbox"_a = "tc26-z",
      nb::sig("def wrap(name: str, kek: typing_extensions.Buffer, key: typing_extensions.Buffer, iv: "
              "typing_extensions.Buffer, *, "
              "sbox: str | typing_extensions.Buffer = 'tc26-z') -> bytes"),
      "Encrypts a key under another one (the key encryption key), with a check value.\n\n"
      "name                 kek            iv              key     result\n"
      "kexp15-kuznyechik    64: MAC, ENC   8               any     key + 16       R 1323565.1.017-2018, RFC 9189 "
      "8.2.1\n"
      "kexp15-magma         64             4               any     key + 8\n"
      "gost28147            32             8 (UKM)         32      44             RFC 4357 6.1\n"
      "cryptopro            32             8 (UKM)         32      44             RFC 4357 6.3\n"
      "rfc7836              32             8 to 16 (seed)  32, 64  iv + key + 4   RFC 7836 4.6\n\n"
      "(bytes). No iv may occur twice under a kek. sbox: of the last three. ValueError: other lengths.");
  module.def(
      "unwrap",
      [](const std::string& name, const Buffer& kek, const Buffer& wrapped_key, const std::optional<Buffer>& iv,
         nb::object sbox) { return wrapped(vsh_unwrap, name, kek, wrapped_key, iv, sbox, false); },
      "name"_a, "kek"_a, "wrapped"_a, "iv"_a = nb::none(), nb::kw_only(), "sbox"_a = "tc26-z",
      nb::sig(
          "def unwrap(name: str, kek: typing_extensions.Buffer, wrapped: typing_extensions.Buffer, "
          "iv: typing_extensions.Buffer | None = None, *, sbox: str | typing_extensions.Buffer = 'tc26-z') -> bytes"),
      "The key in the output of wrap(). iv: for KExp15 the same as then; for the others None, or the bytes that must "
      "stand in front of the key.\n"
      "AuthenticationError: it was not wrapped under this kek; nothing is released.");
}

}  // namespace vershina::python
