// Encryption of messages in pieces, and whole.
#include "algorithm.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "locked.hpp"

namespace vershina::python {
namespace {

// Contents of a mode object of vershina.modes.
struct Mode {
  std::string name;
  std::string padding;
  size_t segment_len;
  size_t section_len;
  bool key_meshing;
};

vsh_padding padding_by_name(const std::string& name) {
  constexpr std::pair<const char*, vsh_padding> kPaddings[] = {{"default", VSH_PADDING_DEFAULT},
                                                               {"none", VSH_PADDING_NONE},
                                                               {"1", VSH_PADDING_1},
                                                               {"2", VSH_PADDING_2},
                                                               {"pkcs7", VSH_PADDING_PKCS7}};
  for (const auto& [known, padding] : kPaddings) {
    if (name == known) return padding;
  }
  throw Failure(VSH_E_PADDING, name);
}

// Algorithm and mode in the C ABI's form.
struct Call {
  Call(const Algorithm& algorithm, const Mode& mode, View iv)
      : algorithm_id(algorithm.id()), options(algorithm.options()), key(algorithm.key()), iv(iv) {
    const std::string name = std::string(algorithm.name()) + "-" + mode.name;
    this->mode = mode_by_name(name);
    options.padding = padding_by_name(mode.padding);
    options.segment_len = mode.segment_len;
    options.section_len = mode.section_len;
    options.key_meshing = mode.key_meshing ? VSH_MESHING_CRYPTOPRO : VSH_MESHING_NONE;
    detail = name + ", " + length_text("IV", iv.size(), vsh_iv_len(algorithm_id, this->mode));
  }

  vsh_cipher_algorithm algorithm_id;
  vsh_mode mode;
  Options options;
  View key, iv;
  std::string detail;
};

class CipherContext {
 public:
  CipherContext(const Algorithm& algorithm, const Mode& mode, const Buffer& iv, bool encrypt)
      : CipherContext(algorithm, mode, Input("iv", iv), encrypt) {}

  nb::bytes update(const Buffer& data) {
    const Input in("data", data);
    const NewBytes out(capacity(in.size()));
    return out.take(lock_.run(in.size(), [&] { return cipher_.update(out.room(), in); }));
  }
  size_t update_into(const Buffer& data, const Buffer& buf) {
    const Input in("data", data);
    const Output out("buf", buf);
    return lock_.run(in.size(), [&] {
      return explained("buf has " + std::to_string(out.size()) + " bytes, " +
                           std::to_string(cipher_.update_capacity(in.size())) + " may be needed",
                       [&] { return cipher_.update(out.room(), in); });
    });
  }
  nb::bytes finalize() {
    Secret out(size_t{VSH_FINAL_CAPACITY});
    return to_bytes(View(out.room().data(), lock_.run(0, [&] { return cipher_.final(out.room()); })));
  }
  void reset(const Buffer& iv) {
    const Input in("iv", iv);
    lock_.run(0, [&] { explained("IV of " + bytes_text(in.size()), [&] { cipher_.reset(in); }); });
  }
  void seek(uint64_t position) {
    lock_.run(kReleaseLen, [&] { cipher_.seek(position); });  // ACPKM: may derive many keys
  }
  std::string kernel() const { return std::string(cipher_.kernel()); }

 private:
  CipherContext(const Algorithm& algorithm, const Mode& mode, const Input& iv, bool encrypt)
      : CipherContext(Call(algorithm, mode, iv), encrypt) {}
  CipherContext(const Call& call, bool encrypt)
      : cipher_(explained(call.detail, [&] {
          return Cipher(call.algorithm_id, call.mode, encrypt ? VSH_ENCRYPT : VSH_DECRYPT, call.key, call.iv,
                        call.options);
        })) {}
  size_t capacity(size_t in_len) {
    return lock_.run(0, [&] { return cipher_.update_capacity(in_len); });
  }

  Cipher cipher_;
  Lock lock_;
};

template <class Function>
nb::bytes whole(Function function, size_t extra, const Algorithm& algorithm, const Mode& mode, const Buffer& iv,
                const Buffer& data) {
  const Input iv_in("iv", iv);
  const Input in("data", data);
  const Call call(algorithm, mode, iv_in);
  const NewBytes out(in.size() + extra);
  size_t len = 0;
  without_gil(in.size(), [&] {
    explained(call.detail + ", data of " + bytes_text(in.size()), [&] {
      check(function(out.room().data(), out.room().size(), &len, call.algorithm_id, call.mode, call.key.data(),
                     call.key.size(), call.iv.data(), call.iv.size(), in.view().data(), in.size(), &call.options));
    });
  });
  return out.take(len);
}

}  // namespace

void bind_ciphers(nb::module_& module) {
  nb::class_<Mode>(module, "Mode", "A mode's parameters for the functions of this module; see vershina.modes.")
      .def(nb::init<std::string, std::string, size_t, size_t, bool>(), "name"_a, "padding"_a = "default",
           "segment_len"_a = 0, "section_len"_a = 0, "key_meshing"_a = false);

  nb::class_<CipherContext>(
      module, "CipherContext",
      "Encryption or decryption of one message in pieces. Made by Cipher.encryptor() and Cipher.decryptor().\n\n"
      "Several threads may use one object, one after the other; the GIL is released from 2048 bytes on.")
      .def(nb::init<const Algorithm&, const Mode&, const Buffer&, bool>(), "algorithm"_a, "mode"_a, "iv"_a, "encrypt"_a)
      .def("update", &CipherContext::update, "data"_a,
           "Processes any number of bytes and returns those ready: in the stream modes as many bytes; in ECB and CBC "
           "whole\n"
           "blocks; decryption with padding keeps the last one back. ValueError: after finalize(), and beyond "
           "the\n"
           "mode's limit.")
      .def("update_into", &CipherContext::update_into, "data"_a, "buf"_a,
           "The same into a writable buffer, without a copy; returns how many bytes were written. buf may be data "
           "itself in the\n"
           "stream modes, and where nothing is pending; else the two must not overlap. ValueError: buf is too small, "
           "read-only or\n"
           "not contiguous; nothing was processed.")
      .def("finalize", &CipherContext::finalize,
           "Ends the message: pads, or checks and removes the padding, and returns the last block. ValueError: the "
           "padding is wrong, or\n"
           "without padding the data was not whole blocks.")
      .def("reset", &CipherContext::reset, "iv"_a, "Begins a new message under the same key.")
      .def("seek", &CipherContext::seek, "position"_a,
           "CTR, CNT, CTR_ACPKM: goes on at this byte of the message. ValueError in other modes.")
      .def_prop_ro("kernel", &CipherContext::kernel, "Which kernel does many blocks, such as 'avx2'.");

  module.def(
      "encrypt",
      [](const Algorithm& algorithm, const Mode& mode, const Buffer& iv, const Buffer& data) {
        return whole(vsh_encrypt, VSH_FINAL_CAPACITY, algorithm, mode, iv, data);
      },
      "algorithm"_a, "mode"_a, "iv"_a, "data"_a, "Encrypts a whole message; see Cipher.encrypt().");
  module.def(
      "decrypt",
      [](const Algorithm& algorithm, const Mode& mode, const Buffer& iv, const Buffer& data) {
        return whole(vsh_decrypt, 0, algorithm, mode, iv, data);
      },
      "algorithm"_a, "mode"_a, "iv"_a, "data"_a, "Decrypts a whole message; see Cipher.decrypt().");
}

}  // namespace vershina::python
