// Message authentication codes with the interface of hmac.
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "algorithm.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "hash_names.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

struct Free {
  void operator()(vsh_mac* context) const noexcept { vsh_mac_free(context); }
};
using Context = std::unique_ptr<vsh_mac, Free>;

// HMAC's key may have any length except 0.
std::string key_detail(const std::string& name, size_t len) {
  if (!name.starts_with("hmac")) return name + ", " + length_text("key", len, VSH_KEY_LEN);
  return name + ", key of " + bytes_text(len) + (len ? "" : ", must be at least 1 byte");
}

class MacObject {
 public:
  // name: of vsh_mac_name. tag_len: 0 means the longest.
  MacObject(const std::string& name, View key, const Options& options, size_t tag_len,
            const std::optional<Buffer>& data)
      : name_(name) {
    explained(key_detail(name, key.size()), [&] {
      vsh_mac_algorithm algorithm;
      check(vsh_mac_by_name(&algorithm, name.c_str()));
      vsh_mac* made = nullptr;
      check(vsh_mac_new(&made, algorithm, key.data(), key.size(), &options));
      context_.reset(made);
      tag_len_ = vsh_mac_max_len(algorithm);
    });
    if (tag_len > tag_len_)
      throw Failure(VSH_E_TAG_LENGTH,
                    name + ", tag of " + bytes_text(tag_len) + ", at most " + std::to_string(tag_len_));
    if (tag_len != 0) tag_len_ = tag_len;
    if (data) update(*data);
  }
  MacObject(const MacObject& other) : name_(other.name_), context_(other.clone()), tag_len_(other.tag_len_) {}

  void update(const Buffer& data) {
    const Input in("data", data);
    lock_.run(in.size(), [&] { check(vsh_mac_update(context_.get(), in.view().data(), in.size())); });
  }
  nb::bytes digest() const { return to_bytes(value()); }
  nb::str hexdigest() const { return to_hex(value()); }
  void verify(const Buffer& tag) const {
    const Input in("tag", tag);
    // Only this length: a tag of one byte, which the library would accept, is easily guessed.
    if (in.size() != tag_len_) throw Failure(VSH_E_TAG, name_ + ", " + length_text("tag", in.size(), tag_len_));
    const vsh_status status = vsh_mac_verify(clone().get(), in.view().data(), in.size());
    if (status != VSH_OK) throw Failure(status, name_);
  }
  void reset() {
    lock_.run(0, [&] { check(vsh_mac_reset(context_.get())); });
  }

  const std::string& name() const noexcept { return name_; }
  size_t digest_size() const noexcept { return tag_len_; }
  const char* kernel() const noexcept { return vsh_mac_kernel(context_.get()); }

 private:
  Context clone() const {
    return lock_.run(0, [&] {
      vsh_mac* copy = nullptr;
      check(vsh_mac_copy(&copy, context_.get()));
      return Context(copy);
    });
  }
  Bytes value() const {
    Bytes tag(tag_len_);
    check(vsh_mac_final(clone().get(), tag.data(), tag.size()));
    return tag;
  }

  std::string name_;
  Context context_;
  size_t tag_len_ = 0;
  mutable Lock lock_;
};

Options acpkm_options(const Algorithm& algorithm, size_t section_len, size_t master_section_len) {
  Options options = algorithm.options();
  options.section_len = section_len;
  options.master_section_len = master_section_len;
  return options;
}

Options imit_options(const Algorithm& algorithm, bool key_meshing) {
  Options options = algorithm.options();
  options.key_meshing = key_meshing ? VSH_MESHING_CRYPTOPRO : VSH_MESHING_NONE;
  return options;
}

// The four differ only in their constructors.
using Data = std::optional<Buffer>;
struct Omac : MacObject {
  Omac(nb::handle cipher, const Data& data, size_t tag_len)
      : Omac(cipher_of(cipher, "OMAC(Kuznyechik(key))"), data, tag_len) {}
  Omac(const Algorithm& a, const Data& data, size_t tag_len)
      : MacObject(std::string(a.name()) + "-mac", a.key(), a.options(), tag_len, data) {}
};
struct OmacAcpkm : MacObject {
  OmacAcpkm(nb::handle cipher, const Data& data, size_t tag_len, size_t section_len, size_t master_section_len)
      : OmacAcpkm(cipher_of(cipher, "OMAC_ACPKM(Kuznyechik(key))"), data, tag_len, section_len, master_section_len) {}
  OmacAcpkm(const Algorithm& a, const Data& data, size_t tag_len, size_t section_len, size_t master_section_len)
      : MacObject(std::string(a.name()) + "-omac-acpkm", a.key(), acpkm_options(a, section_len, master_section_len),
                  tag_len, data) {}
};
struct Imit : MacObject {
  Imit(nb::handle cipher, const Data& data, size_t tag_len, bool key_meshing)
      : Imit(cipher_of(cipher, "IMIT(GOST28147(key))"), data, tag_len, key_meshing) {}
  Imit(const Algorithm& a, const Data& data, size_t tag_len, bool key_meshing)
      : MacObject(std::string(a.name()) + "-imit", a.key(), imit_options(a, key_meshing), tag_len, data) {}
};
struct Hmac : MacObject {
  Hmac(const Buffer& key, const std::string& hash, const Data& data, size_t tag_len)
      : MacObject("hmac-" + streebog_name("HMAC", hash), Input("key", key), Options(), tag_len, data) {}
};

#define VSH_TAG_DOC                                                                                             \
  "\n\ndata: what to begin with. tag_len: bytes of digest() and of what verify() takes, the first ones of the " \
  "longest tag; 0 means all."
#define VSH_INIT "def __init__(self, algorithm: BlockCipher, data: typing_extensions.Buffer | None = None, *, "

}  // namespace

void bind_mac(nb::module_& module) {
  nb::class_<MacObject>(
      module, "Mac",
      "A message authentication code in progress, with the interface of hmac.HMAC.\n\n"
      "Several threads may use one object, one after the other; the GIL is released from 2048 bytes on.")
      .def("update", &MacObject::update, "data"_a, "Goes on with data, any number of bytes.")
      .def("digest", &MacObject::digest, "The tag of all that was given so far, digest_size bytes; more may follow.")
      .def("hexdigest", &MacObject::hexdigest, "The tag as a string of hexadecimal digits.")
      .def("verify", &MacObject::verify, "tag"_a,
           "Compares in constant time. AuthenticationError: the tag is wrong, or has not digest_size bytes.")
      .def(
          "copy", [](const MacObject& mac) { return std::make_unique<MacObject>(mac); },
          "A second object that goes on from the same point.")
      .def("reset", &MacObject::reset, "Begins a new message under the same key.")
      .def_prop_ro("name", &MacObject::name, "Such as 'kuznyechik-mac'.")
      .def_prop_ro("digest_size", &MacObject::digest_size, "Bytes of a tag.")
      .def_prop_ro("kernel", &MacObject::kernel, "Which kernel does the work, such as 'avx2'.")
      .def("__repr__", [](const MacObject& mac) {
        return "<vershina mac " + mac.name() + ", tags of " + std::to_string(mac.digest_size()) + " bytes>";
      });

  nb::class_<Omac, MacObject>(
      module, "OMAC",
      "The MAC of GOST R 34.13-2015 clause 5.6 (the construction of CMAC) over Kuznyechik, tags of up to 16 bytes, or\n"
      "Magma, up to 8." VSH_TAG_DOC)
      .def(nb::init<nb::handle, const Data&, size_t>(), "algorithm"_a, "data"_a = nb::none(), nb::kw_only(),
           "tag_len"_a = 0, nb::sig(VSH_INIT "tag_len: int = 0) -> None"));
  nb::class_<OmacAcpkm, MacObject>(module, "OMAC_ACPKM",
                                   "OMAC whose key changes after every section, RFC 8645 6.3.6, R 1323565.1.017-2018: "
                                   "Kuznyechik, tags of up to 16 bytes, and Magma,\n"
                                   "up to 8. section_len: bytes, a multiple of the block, 0 means 4096. "
                                   "master_section_len: bytes of key material under one master\n"
                                   "key (T* of the RFC), 0 means 4096 of Kuznyechik, 1024 of Magma." VSH_TAG_DOC)
      .def(nb::init<nb::handle, const Data&, size_t, size_t, size_t>(), "algorithm"_a, "data"_a = nb::none(),
           nb::kw_only(), "tag_len"_a = 0, "section_len"_a = 0, "master_section_len"_a = 0,
           nb::sig(VSH_INIT "tag_len: int = 0, section_len: int = 0, master_section_len: int = 0) -> None"));
  nb::class_<Imit, MacObject>(
      module, "IMIT",
      "The MAC of GOST 28147-89, RFC 5830 clause 8: tags of up to 8 bytes, 4 are usual and the default: one\n"
      "forgery in 2^32 gets through. key_meshing: RFC 4357 2.3.2, of the key alone." VSH_TAG_DOC)
      .def(nb::init<nb::handle, const Data&, size_t, bool>(), "algorithm"_a, "data"_a = nb::none(), nb::kw_only(),
           "tag_len"_a = 4, "key_meshing"_a = false,
           nb::sig(VSH_INIT "tag_len: int = 4, key_meshing: bool = False) -> None"));
  nb::class_<Hmac, MacObject>(
      module, "HMAC",
      "HMAC over Streebog, RFC 7836 4.1, R 50.1.113-2016: tags of up to 32 or 64 bytes, in constant time.\n\n"
      "key: from 1 byte on; 32 random bytes (64 for streebog512) are right. digestmod: 'streebog256' or\n"
      "'streebog512'." VSH_TAG_DOC)
      .def(nb::init<const Buffer&, const std::string&, const Data&, size_t>(), "key"_a, "digestmod"_a = "streebog256",
           "data"_a = nb::none(), nb::kw_only(), "tag_len"_a = 0);
}

}  // namespace vershina::python
