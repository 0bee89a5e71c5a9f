// Botan through its C interface: GOST 28147-89 and Streebog (2 and 3), Kuznyechik (3).
#include <algorithm>
#include <utility>

#include "library.hpp"

namespace vsh::bench {
namespace {

constexpr uint32_t kEncrypt = 0, kDecrypt = 1;  // flags of botan_cipher_init
constexpr uint32_t kFinal = 1;                  // flag of botan_cipher_update

struct Functions {
  const char* (*version)();
  int (*block_init)(void** handle, const char* name);
  int (*block_destroy)(void* handle);
  int (*block_set_key)(void* handle, const uint8_t* key, size_t len);
  int (*block_encrypt)(void* handle, const uint8_t* in, uint8_t* out, size_t num_blocks);
  int (*block_decrypt)(void* handle, const uint8_t* in, uint8_t* out, size_t num_blocks);
  int (*cipher_init)(void** handle, const char* name, uint32_t flags);
  int (*cipher_destroy)(void* handle);
  int (*cipher_set_key)(void* handle, const uint8_t* key, size_t len);
  int (*cipher_start)(void* handle, const uint8_t* nonce, size_t len);
  int (*cipher_update)(void* handle, uint32_t flags, uint8_t* out, size_t out_capacity, size_t* out_len,
                       const uint8_t* in, size_t in_len, size_t* consumed);
  int (*cipher_reset)(void* handle);
  int (*mac_init)(void** handle, const char* name, uint32_t flags);
  int (*mac_destroy)(void* handle);
  int (*mac_set_key)(void* handle, const uint8_t* key, size_t len);
  int (*mac_update)(void* handle, const uint8_t* in, size_t len);
  int (*mac_final)(void* handle, uint8_t* out);
  int (*hash_init)(void** handle, const char* name, uint32_t flags);
  int (*hash_destroy)(void* handle);
  int (*hash_update)(void* handle, const uint8_t* in, size_t len);
  int (*hash_final)(void* handle, uint8_t* out);
};

class BotanEcb final : public Task {
 public:
  BotanEcb(const Functions& f, void* handle, bool encrypt, size_t block)
      : f_(f), handle_(handle), process_(encrypt ? f.block_encrypt : f.block_decrypt), block_(block) {}
  ~BotanEcb() override { f_.block_destroy(handle_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    return process_(handle_, in, out, in_len / block_) == 0;
  }

 private:
  const Functions& f_;
  void* handle_;
  int (*process_)(void*, const uint8_t*, uint8_t*, size_t);
  size_t block_;
};

class BotanCipher final : public Task {
 public:
  BotanCipher(const Functions& f, void* handle, const Work& work) : f_(f), handle_(handle), iv_len_(block_len(work)) {
    if (work.mode == "ctr") counter_iv(iv_, iv_len_);
    else std::copy(kIv, kIv + sizeof kIv, iv_);
  }
  ~BotanCipher() override { f_.cipher_destroy(handle_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    size_t written = 0, consumed = 0;
    return f_.cipher_reset(handle_) == 0 && f_.cipher_start(handle_, iv_, iv_len_) == 0 &&
           f_.cipher_update(handle_, kFinal, out, in_len, &written, in, in_len, &consumed) == 0 && written == in_len;
  }

 private:
  const Functions& f_;
  void* handle_;
  size_t iv_len_;
  uint8_t iv_[16];
};

class BotanMac final : public Task {
 public:
  BotanMac(const Functions& f, void* handle) : f_(f), handle_(handle) {}
  ~BotanMac() override { f_.mac_destroy(handle_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    return f_.mac_update(handle_, in, in_len) == 0 && f_.mac_final(handle_, out) == 0;
  }

 private:
  const Functions& f_;
  void* handle_;
};

class BotanHash final : public Task {
 public:
  BotanHash(const Functions& f, void* handle) : f_(f), handle_(handle) {}
  ~BotanHash() override { f_.hash_destroy(handle_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    return f_.hash_update(handle_, in, in_len) == 0 && f_.hash_final(handle_, out) == 0;
  }

 private:
  const Functions& f_;
  void* handle_;
};

// Every release of Botan 3 has its own file name; the newest first, that of `make peers` before the system's.
std::vector<std::string> file_names(const PeerPaths& paths) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& where) {
    for (int release = 40; release >= 0; --release) names.push_back(where + "libbotan-3.so." + std::to_string(release));
  };
  if (paths.library_dir.empty()) add((paths.built_dir / "").string());
  add("");
  names.push_back("libbotan-2.so.19");
  return names;
}

class Botan final : public Peer {
 public:
  explicit Botan(const PeerPaths& paths)
      : library_(paths.library_dir, file_names(paths), "libbotan-3.so.* or libbotan-2.so.19") {
    library_.get(f_.version, "botan_version_string");
    library_.get(f_.block_init, "botan_block_cipher_init");
    library_.get(f_.block_destroy, "botan_block_cipher_destroy");
    library_.get(f_.block_set_key, "botan_block_cipher_set_key");
    library_.get(f_.block_encrypt, "botan_block_cipher_encrypt_blocks");
    library_.get(f_.block_decrypt, "botan_block_cipher_decrypt_blocks");
    library_.get(f_.cipher_init, "botan_cipher_init");
    library_.get(f_.cipher_destroy, "botan_cipher_destroy");
    library_.get(f_.cipher_set_key, "botan_cipher_set_key");
    library_.get(f_.cipher_start, "botan_cipher_start");
    library_.get(f_.cipher_update, "botan_cipher_update");
    library_.get(f_.cipher_reset, "botan_cipher_reset");
    library_.get(f_.mac_init, "botan_mac_init");
    library_.get(f_.mac_destroy, "botan_mac_destroy");
    library_.get(f_.mac_set_key, "botan_mac_set_key");
    library_.get(f_.mac_update, "botan_mac_update");
    library_.get(f_.mac_final, "botan_mac_final");
    library_.get(f_.hash_init, "botan_hash_init");
    library_.get(f_.hash_destroy, "botan_hash_destroy");
    library_.get(f_.hash_update, "botan_hash_update");
    library_.get(f_.hash_final, "botan_hash_final");
  }
  std::string name() const override { return "Botan"; }
  std::string version() const override {
    const std::string version = f_.version();  // "Botan 2.19.3 (unreleased, ...)"
    const size_t begin = version.find(' ') + 1;
    return version.substr(begin, version.find(' ', begin) - begin);
  }

  std::unique_ptr<Task> prepare(const Work& work) override {
    if (work.mode == "hash") {
      return work.algorithm == "streebog256"        ? hash("Streebog-256")
             : work.algorithm == "streebog512"      ? hash("Streebog-512")
             : work.algorithm == "gost94-cryptopro" ? hash("GOST-34.11")
                                                    : nullptr;
    }
    const bool gost = work.algorithm == "gost28147";
    if (!gost && work.algorithm != "kuznyechik") return nullptr;
    // Botan 2 and 3 both have the test set; look-ups cost the same for every set.
    const std::string cipher = gost ? "GOST-28147-89(R3411_94_TestParam)" : "Kuznyechik";
    std::unique_ptr<Task> task;
    if (work.mode == "ecb") task = ecb(cipher, work);
    else if (work.mode == "ctr") task = mode("CTR-BE(" + cipher + ")", work);
    else if (work.mode == "cbc") task = mode(cipher + "/CBC/NoPadding", work);
    else if (work.mode == "cfb" || work.mode == "ofb")
      task = work.mode == "cfb" ? mode(cipher + "/CFB", work) : mode("OFB(" + cipher + ")", work);
    else if (work.mode == "mac") task = mac("CMAC(" + cipher + ")");
    if (task && gost) task->sbox = VSH_SBOX_3411_94_TEST;
    return task;
  }

 private:
  std::unique_ptr<Task> ecb(const std::string& name, const Work& work) {
    void* handle = nullptr;
    if (f_.block_init(&handle, name.c_str()) != 0) return nullptr;
    auto task = std::make_unique<BotanEcb>(f_, handle, work.encrypts(), block_len(work));
    return f_.block_set_key(handle, kKey, sizeof kKey) == 0 ? std::move(task) : nullptr;
  }
  std::unique_ptr<Task> mode(const std::string& name, const Work& work) {
    void* handle = nullptr;
    if (f_.cipher_init(&handle, name.c_str(), work.encrypts() ? kEncrypt : kDecrypt) != 0) return nullptr;
    auto task = std::make_unique<BotanCipher>(f_, handle, work);
    return f_.cipher_set_key(handle, kKey, sizeof kKey) == 0 ? std::move(task) : nullptr;
  }
  std::unique_ptr<Task> mac(const std::string& name) {
    void* handle = nullptr;
    if (f_.mac_init(&handle, name.c_str(), 0) != 0) return nullptr;
    auto task = std::make_unique<BotanMac>(f_, handle);
    return f_.mac_set_key(handle, kKey, sizeof kKey) == 0 ? std::move(task) : nullptr;
  }
  std::unique_ptr<Task> hash(const char* name) {
    void* handle = nullptr;
    if (f_.hash_init(&handle, name, 0) != 0) return nullptr;
    return std::make_unique<BotanHash>(f_, handle);
  }

  Library library_;
  Functions f_{};
};

}  // namespace

std::unique_ptr<Peer> load_botan(const PeerPaths& paths) { return std::make_unique<Botan>(paths); }

}  // namespace vsh::bench
