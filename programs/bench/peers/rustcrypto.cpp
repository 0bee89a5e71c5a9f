// RustCrypto's crates kuznyechik, magma and streebog through programs/bench/peers/rustcrypto, which `make peers`
// builds.
#include "library.hpp"

namespace vsh::bench {
namespace {

constexpr const char* kFile = "libvershina_peer_rustcrypto.so";

struct Functions {
  const char* (*version)();
  void* (*create)(const char* algorithm, const char* mode, int encrypt, const uint8_t* key, size_t key_len,
                  const uint8_t* iv, size_t iv_len);
  void (*run)(void* handle, uint8_t* out, const uint8_t* in, size_t len);
  void (*free)(void* handle);
};

class RustTask final : public Task {
 public:
  RustTask(const Functions& f, void* handle) : f_(f), handle_(handle) {}
  ~RustTask() override { f_.free(handle_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    f_.run(handle_, out, in, in_len);
    return true;
  }

 private:
  const Functions& f_;
  void* handle_;
};

class RustCrypto final : public Peer {
 public:
  explicit RustCrypto(const PeerPaths& paths) : library_(paths.built_dir, {kFile}, kFile) {
    library_.get(f_.version, "vershina_peer_version");
    library_.get(f_.create, "vershina_peer_new");
    library_.get(f_.run, "vershina_peer_run");
    library_.get(f_.free, "vershina_peer_free");
  }
  std::string name() const override { return "RustCrypto"; }
  std::string version() const override { return f_.version(); }
  std::unique_ptr<Task> prepare(const Work& work) override {
    void* handle =
        f_.create(work.algorithm.c_str(), work.mode.c_str(), work.encrypts(), kKey, sizeof kKey, kIv, sizeof kIv);
    if (!handle) return nullptr;
    return std::make_unique<RustTask>(f_, handle);
  }

 private:
  Library library_;
  Functions f_{};
};

}  // namespace

std::unique_ptr<Peer> load_rustcrypto(const PeerPaths& paths) {
  try {
    return std::make_unique<RustCrypto>(paths);
  } catch (const Absent& absent) {
    throw Absent{absent.why + "; `make peers` builds it"};
  }
}

}  // namespace vsh::bench
