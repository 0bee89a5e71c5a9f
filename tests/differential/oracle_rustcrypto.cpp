// RustCrypto's crate mgm, through the library that `make peers` builds for the benchmark
// (programs/bench/peers/rustcrypto), loaded from there at run time. Only tags of a block.
#include "oracle.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace vsh::oracle {
namespace {

constexpr const char* kPath = VSH_SOURCE_DIR "/build/peers/release/libvershina_peer_rustcrypto.so";

using Run = int (*)(const char* algorithm, int encrypt, const uint8_t* key, const uint8_t* nonce, const uint8_t* data,
                    size_t data_len, uint8_t* text, size_t text_len, uint8_t* tag);

class RustCrypto final : public Oracle {
 public:
  RustCrypto(Run run, std::string version) : run_(run), version_(std::move(version)) {}
  std::string name() const override { return "RustCrypto (" + version_ + ")"; }

  std::optional<Bytes> seal(const Aead& a, const Bytes& text) override {
    Bytes out = text, tag(a.nonce.size());
    if (a.tag_len != tag.size() || !run(a, true, out, tag)) return std::nullopt;
    out.insert(out.end(), tag.begin(), tag.end());
    return out;
  }
  std::optional<Bytes> open(const Aead& a, const Bytes& sealed) override {
    const auto end_of_text = sealed.end() - static_cast<std::ptrdiff_t>(a.tag_len);
    Bytes text(sealed.begin(), end_of_text), tag(end_of_text, sealed.end());
    if (!run(a, false, text, tag)) return std::nullopt;
    return text;
  }

 private:
  bool run(const Aead& a, bool encrypt, Bytes& text, Bytes& tag) const {
    return run_(a.name.c_str(), encrypt, a.key.data(), a.nonce.data(), a.data.data(), a.data.size(), text.data(),
                text.size(), tag.data()) == 1;
  }

  const Run run_;
  const std::string version_;
};

}  // namespace

std::unique_ptr<Oracle> make_rustcrypto(std::string* why) {
  void* const library = ::dlopen(kPath, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *why = "`make peers` has not built it";
    return nullptr;
  }
  const auto run = reinterpret_cast<Run>(::dlsym(library, "vershina_peer_aead"));
  const auto version = reinterpret_cast<const char* (*)()>(::dlsym(library, "vershina_peer_version"));
  if (!run || !version) {
    *why = "an older library is there; run `make peers`";
    return nullptr;
  }
  return std::make_unique<RustCrypto>(run, version());
}

}  // namespace vsh::oracle
