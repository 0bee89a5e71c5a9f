// Authenticated encryption: whole messages, and messages in pieces.
#include <nanobind/stl/unique_ptr.h>

#include "algorithm.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

// Parameters of a key for authenticated messages; a context is created for every message in pieces.
struct Recipe {
  vsh_aead_algorithm id;
  std::string name;
  Options options;  // refers to the algorithm
  View key;
  size_t tag_len;

  Recipe(const Algorithm& algorithm, const char* mode, size_t tag_len, size_t section_len, bool short_tags)
      : name(std::string(algorithm.name()) + "-" + mode),
        options(algorithm.options()),
        key(algorithm.key()),
        tag_len(tag_len) {
    if (vsh_aead_by_name(&id, name.c_str()) != VSH_OK) refuse_mode(name);
    options.section_len = section_len;
    if (short_tags) options.flags |= VSH_ALLOW_SHORT_TAGS;
  }
  std::string detail() const {
    return name + ", tag of " + bytes_text(tag_len) + ", section of " + std::to_string(options.section_len);
  }
};

// Optional associated data.
class AssociatedData {
 public:
  explicit AssociatedData(const std::optional<Buffer>& data) {
    if (data) held_.emplace("associated_data", *data);
  }
  operator View() const noexcept { return held_ ? held_->view() : View{}; }

 private:
  std::optional<Input> held_;
};

std::string nonce_detail(const std::string& name, vsh_aead_algorithm id, View nonce) {
  return name + ", " + length_text("nonce", nonce.size(), vsh_aead_nonce_len(id));
}

// One message in pieces.
class AeadStream {
 public:
  AeadStream(const Recipe& recipe, const Buffer& nonce) : aead_(recipe.id, recipe.key, recipe.tag_len, recipe.options) {
    const Input in("nonce", nonce);
    explained(nonce_detail(recipe.name, recipe.id, in), [&] { aead_.begin(in); });
  }

  void add_data(const Buffer& data) {
    const Input in("data", data);
    lock_.run(in.size(), [&] { aead_.add_data(in); });
  }

 protected:
  using Step = void (*)(Aead&, Room, View);
  nb::bytes update(const Buffer& data, Step step) {
    const Input in("data", data);
    const NewBytes out(in.size());
    lock_.run(in.size(), [&] { step(aead_, out.room(), in); });
    return out.take();
  }
  size_t update_into(const Buffer& data, const Buffer& buf, Step step) {
    const Input in("data", data);
    const Output out("buf", buf);
    if (out.size() < in.size())
      throw Failure(VSH_E_CAPACITY, "buf has " + bytes_text(out.size()) + ", data " + std::to_string(in.size()));
    lock_.run(in.size(), [&] { step(aead_, out.room().first(in.size()), in); });
    return in.size();
  }
  void verify(const Buffer& tag) {
    const Input in("tag", tag);
    if (!lock_.run(0, [&] { return aead_.verify(in); })) throw Error(VSH_E_TAG);
  }

  Aead aead_;
  Lock lock_;
};

class Encryptor : public AeadStream {
 public:
  using AeadStream::AeadStream;
  nb::bytes update(const Buffer& data) { return AeadStream::update(data, &step); }
  size_t update_into(const Buffer& data, const Buffer& buf) { return AeadStream::update_into(data, buf, &step); }
  nb::bytes finalize() {
    tag_ = lock_.run(0, [&] { return aead_.final(); });
    return to_bytes({});
  }
  nb::bytes tag() const {
    if (tag_.empty()) throw Failure(VSH_E_STATE, "the tag is there after finalize()");
    return to_bytes(tag_);
  }

 private:
  static void step(Aead& aead, Room out, View in) { aead.encrypt(out, in); }
  Bytes tag_;
};

class UnverifiedDecryptor : public AeadStream {
 public:
  using AeadStream::AeadStream;
  nb::bytes update(const Buffer& data) { return AeadStream::update(data, &step); }
  size_t update_into(const Buffer& data, const Buffer& buf) { return AeadStream::update_into(data, buf, &step); }
  void finalize_with_tag(const Buffer& tag) { verify(tag); }

 private:
  static void step(Aead& aead, Room out, View in) { aead.decrypt_unverified(out, in); }
};

class Verifier : public AeadStream {
 public:
  using AeadStream::AeadStream;
  void update(const Buffer& data) {
    const Input in("data", data);
    lock_.run(in.size(), [&] { aead_.authenticate(in); });
  }
  void finalize_with_tag(const Buffer& tag) { verify(tag); }
};

// A key for any number of messages.
class AeadKey {
 public:
  AeadKey(nb::object algorithm, const char* mode, size_t tag_len, size_t section_len, bool short_tags)
      : algorithm_(algorithm),
        recipe_(cipher_of(algorithm, "MGM(Kuznyechik(key))"), mode, tag_len, section_len, short_tags) {
    vsh_aead* made = nullptr;
    explained(recipe_.detail(), [&] {
      check(vsh_aead_new(&made, recipe_.id, recipe_.key.data(), recipe_.key.size(), tag_len, &recipe_.options));
    });
    context_.reset(made);
  }

  nb::bytes encrypt(const Buffer& nonce, const Buffer& data, const std::optional<Buffer>& associated_data) {
    const Input in("data", data);
    const NewBytes out(in.size() + tag_len());
    run(vsh_aead_seal, out.room(), nonce, in, associated_data);
    return out.take();
  }
  nb::bytes decrypt(const Buffer& nonce, const Buffer& data, const std::optional<Buffer>& associated_data) {
    const Input in("data", data);
    const NewBytes out(in.size() < tag_len() ? 0 : in.size() - tag_len());
    run(vsh_aead_open, out.room(), nonce, in, associated_data);
    return out.take();
  }
  size_t encrypt_into(const Buffer& nonce, const Buffer& data, const std::optional<Buffer>& associated_data,
                      const Buffer& buf) {
    const Input in("data", data);
    const Output out("buf", buf);
    return run(vsh_aead_seal, out.room(), nonce, in, associated_data);
  }
  size_t decrypt_into(const Buffer& nonce, const Buffer& data, const std::optional<Buffer>& associated_data,
                      const Buffer& buf) {
    const Input in("data", data);
    const Output out("buf", buf);
    return run(vsh_aead_open, out.room(), nonce, in, associated_data);
  }

  const Recipe& recipe() const noexcept { return recipe_; }
  size_t tag_len() const noexcept { return vsh_aead_tag_len(context_.get()); }
  size_t nonce_len() const noexcept { return vsh_aead_nonce_len(recipe_.id); }
  const char* kernel() const noexcept { return vsh_aead_kernel(context_.get()); }

 private:
  using Function = decltype(&vsh_aead_seal);
  size_t run(Function function, Room out, const Buffer& nonce, const Input& in,
             const std::optional<Buffer>& associated_data) {
    const Input nonce_in("nonce", nonce);
    const AssociatedData data_in(associated_data);
    const View data = data_in;
    size_t len = 0;
    lock_.run(in.size() + data.size(), [&] {
      explained(nonce_detail(recipe_.name, recipe_.id, nonce_in) + ", " + bytes_text(in.size()) + " of data", [&] {
        check(function(context_.get(), out.data(), out.size(), &len, nonce_in.view().data(), nonce_in.size(),
                       data.data(), data.size(), in.view().data(), in.size()));
      });
    });
    return len;
  }
  struct Free {
    void operator()(vsh_aead* context) const noexcept { vsh_aead_free(context); }
  };

  nb::object algorithm_;  // owner of the recipe's key and kernel
  Recipe recipe_;
  std::unique_ptr<vsh_aead, Free> context_;
  Lock lock_;
};

}  // namespace

#define VSH_INTO_DOC                                                                                                 \
  "The same into a writable buffer; returns how many bytes were written. buf may be data itself; else the two must " \
  "not\n"                                                                                                            \
  "overlap."

void bind_aead(nb::module_& module) {
  nb::class_<AeadStream> stream(module, "AeadStream",
                                "A message in pieces, encrypted or decrypted. Used by one thread at a time.");
  stream.def("authenticate_additional_data", &AeadStream::add_data, "data"_a,
             "Associated data, in pieces of any length, before the text. ValueError after it.");
  nb::class_<Encryptor, AeadStream>(module, "AeadEncryptor", "Encrypts one message in pieces. Made by encryptor().")
      .def("update", &Encryptor::update, "data"_a, "Ciphertext of data, as long.")
      .def("update_into", &Encryptor::update_into, "data"_a, "buf"_a, VSH_INTO_DOC)
      .def("finalize", &Encryptor::finalize, "Ends the message, and returns b''. After it there is the tag.")
      .def_prop_ro("tag", &Encryptor::tag, "The tag, after finalize(). ValueError before.");
  nb::class_<UnverifiedDecryptor, AeadStream>(
      module, "AeadUnverifiedDecryptor",
      "Decrypts one message in pieces, before it is verified: what comes out may be anybody's. Keep it to yourself "
      "until\n"
      "finalize_with_tag() has returned, and destroy it where that raises. Made by unverified_decryptor().")
      .def("update", &UnverifiedDecryptor::update, "data"_a, "Plaintext of data, as long, not verified.")
      .def("update_into", &UnverifiedDecryptor::update_into, "data"_a, "buf"_a, VSH_INTO_DOC)
      .def("finalize_with_tag", &UnverifiedDecryptor::finalize_with_tag, "tag"_a,
           "Ends the message. AuthenticationError: it is not authentic, and nothing of it may be used.");
  nb::class_<Verifier, AeadStream>(
      module, "AeadVerifier",
      "Verifies one message in pieces without decrypting it: the first of two passes. Made by verifier().")
      .def("update", &Verifier::update, "data"_a, "Ciphertext.")
      .def("finalize_with_tag", &Verifier::finalize_with_tag, "tag"_a,
           "Ends the message. AuthenticationError: it is not authentic.");

  nb::class_<AeadKey>(module, "AeadKey", "A key for any number of authenticated messages; see vershina.MGM.")
      .def(nb::init<nb::object, const char*, size_t, size_t, bool>(), "algorithm"_a.sig("..."), "mode"_a, "tag_len"_a,
           "section_len"_a, "short_tags"_a,
           nb::sig("def __init__(self, algorithm: BlockCipher, mode: str, tag_len: int, section_len: int, short_tags: "
                   "bool) -> None"))
      .def("encrypt", &AeadKey::encrypt, "nonce"_a, "data"_a, "associated_data"_a = nb::none(),
           "Ciphertext, then the tag: len(data) + tag_len bytes.\n\n"
           "nonce: nonce_len bytes, never twice under one key: with MGM that gives away both messages' difference and "
           "lets anybody\n"
           "forge (RFC 9058 section 6). ValueError: the nonce has another length or, of MGM, its first bit is 1; there "
           "is neither\n"
           "text nor associated data (MGM), or any (CTR_ACPKM_OMAC); the limit of the key or of a message is reached.")
      .def("decrypt", &AeadKey::decrypt, "nonce"_a, "data"_a, "associated_data"_a = nb::none(),
           "The plaintext of ciphertext and tag. AuthenticationError: nonce, text, associated data or tag is not what "
           "was encrypted\n"
           "under this key; nothing is released. data may be memory that others change during the call, such as an "
           "mmap.")
      .def("encrypt_into", &AeadKey::encrypt_into, "nonce"_a, "data"_a, "associated_data"_a.none(), "buf"_a,
           VSH_INTO_DOC)
      .def("decrypt_into", &AeadKey::decrypt_into, "nonce"_a, "data"_a, "associated_data"_a.none(), "buf"_a,
           VSH_INTO_DOC " On an error nothing of the plaintext is in buf: it is erased or as it was.")
      .def(
          "encryptor",
          [](const AeadKey& key, const Buffer& nonce) { return std::make_unique<Encryptor>(key.recipe(), nonce); },
          "nonce"_a, "For a message in pieces.")
      .def(
          "unverified_decryptor",
          [](const AeadKey& key, const Buffer& nonce) {
            return std::make_unique<UnverifiedDecryptor>(key.recipe(), nonce);
          },
          "nonce"_a, "For a message in pieces, whose plaintext comes out before it is verified.")
      .def(
          "verifier",
          [](const AeadKey& key, const Buffer& nonce) { return std::make_unique<Verifier>(key.recipe(), nonce); },
          "nonce"_a, "For a first pass over a message in pieces.")
      .def_prop_ro("tag_len", &AeadKey::tag_len, "Bytes of a tag.")
      .def_prop_ro("nonce_len", &AeadKey::nonce_len, "Bytes of a nonce.")
      .def_prop_ro("kernel", &AeadKey::kernel, "Which kernel does many blocks, such as 'avx2'.")
      .def("__repr__", [](const AeadKey& key) {
        return "<vershina cipher " + key.recipe().name + ", tags of " + bytes_text(key.tag_len()) + ">";
      });
}

}  // namespace vershina::python
