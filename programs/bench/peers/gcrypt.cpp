// libgcrypt: GOST 28147-89 in ECB, CBC, CFB and IMIT, Streebog and HMAC over it.
#include <algorithm>
#include <utility>

#include "library.hpp"

namespace vsh::bench {
namespace {

// Numbers of libgcrypt's ABI.
constexpr int kGost28147 = 315, kGost94Test = 308, kStribog256 = 309, kStribog512 = 310, kGost94CryptoPro = 311,
              kMacImit = 1, kHmacStribog256 = 112, kHmacStribog512 = 113;
constexpr int kModeEcb = 1, kModeCfb = 2, kModeCbc = 3;
constexpr int kReset = 4, kDisableSecureMemory = 37, kInitializationFinished = 38, kSetSbox = 73;

struct Functions {
  const char* (*check_version)(const char*);
  unsigned (*control)(int command, ...);
  unsigned (*cipher_open)(void** handle, int algorithm, int mode, unsigned flags);
  void (*cipher_close)(void* handle);
  unsigned (*cipher_ctl)(void* handle, int command, void* buffer, size_t len);
  unsigned (*cipher_setkey)(void* handle, const void* key, size_t len);
  unsigned (*cipher_setiv)(void* handle, const void* iv, size_t len);
  unsigned (*cipher_encrypt)(void* handle, void* out, size_t out_len, const void* in, size_t in_len);
  unsigned (*cipher_decrypt)(void* handle, void* out, size_t out_len, const void* in, size_t in_len);
  unsigned (*md_open)(void** handle, int algorithm, unsigned flags);
  void (*md_close)(void* handle);
  void (*md_reset)(void* handle);
  void (*md_write)(void* handle, const void* in, size_t len);
  uint8_t* (*md_read)(void* handle, int algorithm);
  unsigned (*mac_open)(void** handle, int algorithm, unsigned flags, void* context);
  void (*mac_close)(void* handle);
  unsigned (*mac_setkey)(void* handle, const void* key, size_t len);
  unsigned (*mac_ctl)(void* handle, int command, void* buffer, size_t len);
  unsigned (*mac_write)(void* handle, const void* in, size_t len);
  unsigned (*mac_read)(void* handle, void* out, size_t* out_len);
};

class GcryptCipher final : public Task {
 public:
  GcryptCipher(const Functions& f, void* handle, bool ecb, bool encrypt)
      : f_(f), handle_(handle), ecb_(ecb), process_(encrypt ? f.cipher_encrypt : f.cipher_decrypt) {}
  ~GcryptCipher() override { f_.cipher_close(handle_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    if (!ecb_ && f_.cipher_setiv(handle_, kIv, 8) != 0) return false;
    return out == in ? process_(handle_, out, in_len, nullptr, 0) == 0
                     : process_(handle_, out, in_len, in, in_len) == 0;
  }

 private:
  const Functions& f_;
  void* handle_;
  bool ecb_;
  unsigned (*process_)(void*, void*, size_t, const void*, size_t);
};

class GcryptMac final : public Task {
 public:
  GcryptMac(const Functions& f, void* handle, size_t len) : f_(f), handle_(handle), len_(len) {}
  ~GcryptMac() override { f_.mac_close(handle_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    size_t tag_len = len_;
    return f_.mac_ctl(handle_, kReset, nullptr, 0) == 0 && f_.mac_write(handle_, in, in_len) == 0 &&
           f_.mac_read(handle_, out, &tag_len) == 0;
  }

 private:
  const Functions& f_;
  void* handle_;
  size_t len_;
};

class GcryptHash final : public Task {
 public:
  GcryptHash(const Functions& f, void* handle, size_t len) : f_(f), handle_(handle), len_(len) {}
  ~GcryptHash() override { f_.md_close(handle_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    f_.md_reset(handle_);
    f_.md_write(handle_, in, in_len);
    const uint8_t* digest = f_.md_read(handle_, 0);
    if (!digest) return false;
    std::copy(digest, digest + len_, out);
    return true;
  }

 private:
  const Functions& f_;
  void* handle_;
  size_t len_;
};

class Gcrypt final : public Peer {
 public:
  explicit Gcrypt(const PeerPaths& paths) : library_(paths.library_dir, {"libgcrypt.so.20"}, "libgcrypt.so.20") {
    library_.get(f_.check_version, "gcry_check_version");
    library_.get(f_.control, "gcry_control");
    library_.get(f_.cipher_open, "gcry_cipher_open");
    library_.get(f_.cipher_close, "gcry_cipher_close");
    library_.get(f_.cipher_ctl, "gcry_cipher_ctl");
    library_.get(f_.cipher_setkey, "gcry_cipher_setkey");
    library_.get(f_.cipher_setiv, "gcry_cipher_setiv");
    library_.get(f_.cipher_encrypt, "gcry_cipher_encrypt");
    library_.get(f_.cipher_decrypt, "gcry_cipher_decrypt");
    library_.get(f_.md_open, "gcry_md_open");
    library_.get(f_.md_close, "gcry_md_close");
    library_.get(f_.md_reset, "gcry_md_reset");
    library_.get(f_.md_write, "gcry_md_write");
    library_.get(f_.md_read, "gcry_md_read");
    library_.get(f_.mac_open, "gcry_mac_open");
    library_.get(f_.mac_close, "gcry_mac_close");
    library_.get(f_.mac_setkey, "gcry_mac_setkey");
    library_.get(f_.mac_ctl, "gcry_mac_ctl");
    library_.get(f_.mac_write, "gcry_mac_write");
    library_.get(f_.mac_read, "gcry_mac_read");
    version_ = f_.check_version(nullptr);
    f_.control(kDisableSecureMemory, 0);
    f_.control(kInitializationFinished, 0);
  }
  std::string name() const override { return "libgcrypt"; }
  std::string version() const override { return version_; }

  std::unique_ptr<Task> prepare(const Work& work) override {
    if (work.mode == "hash") return hash(work);
    if (work.mode == "hmac")
      return work.algorithm == "streebog256" ? mac(kHmacStribog256, 32) : mac(kHmacStribog512, 64);
    if (work.algorithm != "gost28147") return nullptr;
    if (work.mode == "imit") {
      std::unique_ptr<Task> task = mac(kMacImit, 4);  // bytes: its full length
      if (task) task->sbox = VSH_SBOX_CRYPTOPRO_A;
      return task;
    }
    const int mode = work.mode == "ecb" ? kModeEcb : work.mode == "cbc" ? kModeCbc : work.mode == "cfb" ? kModeCfb : 0;
    if (mode == 0) return nullptr;
    void* handle = nullptr;
    if (f_.cipher_open(&handle, kGost28147, mode, 0) != 0) return nullptr;
    auto task = std::make_unique<GcryptCipher>(f_, handle, mode == kModeEcb, work.encrypts());
    // Version 1.10 lacks param-Z; look-ups cost the same for every set.
    char cryptopro_a[] = "1.2.643.2.2.31.1";
    if (f_.cipher_ctl(handle, kSetSbox, cryptopro_a, 0) != 0 || f_.cipher_setkey(handle, kKey, sizeof kKey) != 0)
      return nullptr;
    task->sbox = VSH_SBOX_CRYPTOPRO_A;
    return task;
  }

 private:
  std::unique_ptr<Task> hash(const Work& work) {
    const auto [algorithm, len] = work.algorithm == "streebog256"        ? std::pair(kStribog256, 32)
                                  : work.algorithm == "streebog512"      ? std::pair(kStribog512, 64)
                                  : work.algorithm == "gost94-test"      ? std::pair(kGost94Test, 32)
                                  : work.algorithm == "gost94-cryptopro" ? std::pair(kGost94CryptoPro, 32)
                                                                         : std::pair(0, 0);
    void* handle = nullptr;
    if (algorithm == 0) return nullptr;
    if (f_.md_open(&handle, algorithm, 0) != 0) return nullptr;
    return std::make_unique<GcryptHash>(f_, handle, len);
  }
  std::unique_ptr<Task> mac(int algorithm, size_t len) {
    void* handle = nullptr;
    if (f_.mac_open(&handle, algorithm, 0, nullptr) != 0) return nullptr;
    auto task = std::make_unique<GcryptMac>(f_, handle, len);
    if (f_.mac_setkey(handle, kKey, sizeof kKey) != 0) return nullptr;
    return task;
  }

  Library library_;
  Functions f_{};
  std::string version_;
};

}  // namespace

std::unique_ptr<Peer> load_gcrypt(const PeerPaths& paths) { return std::make_unique<Gcrypt>(paths); }

}  // namespace vsh::bench
