// OpenSSL's libcrypto: AES-256-CTR as a yardstick, and Russian algorithms through the GOST engine (ciphers, hashes,
// HMAC) and the GOST provider (MACs; without an engine everything except HMAC).
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "library.hpp"

namespace vsh::bench {
namespace {

constexpr int kCtrlSetSbox = 0x1e, kCtrlKeyMesh = 0x20;  // EVP_CTRL_SET_SBOX, EVP_CTRL_KEY_MESH
constexpr uint64_t kInitEngineDynamic = 0x400;           // OPENSSL_INIT_ENGINE_DYNAMIC

// An algorithm that was fetched; what is set up with it keeps its own reference.
using Fetched = std::unique_ptr<void, void (*)(void* algorithm)>;

struct Functions {
  const char* (*version)(int what);
  int (*init)(uint64_t options, const void* settings);
  int (*txt2nid)(const char* name);
  void* (*cipher_fetch)(void* context, const char* name, const char* properties);
  void (*cipher_free)(void* cipher);
  void* (*ctx_new)();
  void (*ctx_free)(void* ctx);
  int (*ctx_ctrl)(void* ctx, int type, int arg, void* data);
  int (*set_padding)(void* ctx, int pad);
  int (*cipher_init)(void* ctx, const void* cipher, void* engine, const uint8_t* key, const uint8_t* iv, int encrypt);
  int (*cipher_update)(void* ctx, uint8_t* out, int* out_len, const uint8_t* in, int in_len);
  void* (*md_fetch)(void* context, const char* name, const char* properties);
  void (*md_free)(void* md);
  void* (*md_ctx_new)();
  void (*md_ctx_free)(void* ctx);
  int (*digest_init)(void* ctx, const void* md, void* engine);
  int (*digest_update)(void* ctx, const void* in, size_t len);
  int (*digest_final)(void* ctx, uint8_t* out, unsigned* len);
  void* (*provider_load)(void* context, const char* name);
  int (*provider_unload)(void* provider);
  void* (*mac_fetch)(void* context, const char* name, const char* properties);
  void (*mac_free)(void* mac);
  void* (*mac_ctx_new)(void* mac);
  void* (*mac_dup)(const void* ctx);
  void (*mac_ctx_free)(void* ctx);
  int (*mac_init)(void* ctx, const uint8_t* key, size_t len, const void* params);
  int (*mac_update)(void* ctx, const uint8_t* in, size_t len);
  int (*mac_final)(void* ctx, uint8_t* out, size_t* out_len, size_t capacity);
  void* (*hmac_new)();
  void (*hmac_free)(void* ctx);
  int (*hmac_init)(void* ctx, const void* key, int key_len, const void* md, void* engine);
  int (*hmac_update)(void* ctx, const uint8_t* in, size_t len);
  int (*hmac_final)(void* ctx, uint8_t* out, unsigned* len);
  // OpenSSL 4 removed engines.
  void* (*engine_by_id)(const char* id);
  int (*engine_init)(void* engine);
  const void* (*engine_cipher)(void* engine, int nid);
  const void* (*engine_digest)(void* engine, int nid);
};

class OpensslCipher final : public Task {
 public:
  OpensslCipher(const Functions& f, void* ctx, const Work& work)
      : f_(f), ctx_(ctx), gost_(work.algorithm == "gost28147"), mode_(work.mode) {
    if (mode_ == "ctr") counter_iv(iv_, block_len(work));
    else std::copy(kIv, kIv + sizeof kIv, iv_);
  }
  ~OpensslCipher() override { f_.ctx_free(ctx_); }

  bool start(const void* cipher, void* engine, bool encrypt) {
    if (f_.cipher_init(ctx_, cipher, engine, kKey, iv_, encrypt) != 1) return false;
    f_.set_padding(ctx_, 0);
    char param_z[] = "id-tc26-gost-28147-param-Z";
    if (gost_ && mode_ != "cnt") return f_.ctx_ctrl(ctx_, kCtrlSetSbox, 0, param_z) == 1;
    return true;
  }

  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    if (f_.cipher_init(ctx_, nullptr, nullptr, nullptr, iv_, -1) != 1) return false;
    // The engine turns on key meshing (RFC 4357) with each new IV; the benchmark measures the plain cipher.
    if (gost_) f_.ctx_ctrl(ctx_, kCtrlKeyMesh, 0, nullptr);
    constexpr size_t kMost = size_t{1} << 30;  // the length is an int
    while (in_len > 0) {
      const int n = static_cast<int>(std::min(in_len, kMost));
      int written = 0;
      if (f_.cipher_update(ctx_, out, &written, in, n) != 1 || written != n) return false;
      out += n;
      in += n;
      in_len -= static_cast<size_t>(n);
    }
    return true;
  }

 private:
  const Functions& f_;
  void* ctx_;
  bool gost_;
  std::string mode_;
  uint8_t iv_[16];
};

class OpensslHash final : public Task {
 public:
  OpensslHash(const Functions& f, const void* md, Fetched fetched, void* engine)
      : f_(f), ctx_(f.md_ctx_new()), md_(md), fetched_(std::move(fetched)), engine_(engine) {}
  ~OpensslHash() override { f_.md_ctx_free(ctx_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    unsigned len = 0;
    return f_.digest_init(ctx_, md_, engine_) == 1 && f_.digest_update(ctx_, in, in_len) == 1 &&
           f_.digest_final(ctx_, out, &len) == 1;
  }

 private:
  const Functions& f_;
  void* ctx_;
  const void* md_;
  Fetched fetched_;  // md, unless it is an engine's
  void* engine_;
};

class OpensslHmac final : public Task {
 public:
  OpensslHmac(const Functions& f, void* keyed) : f_(f), ctx_(keyed) {}
  ~OpensslHmac() override { f_.hmac_free(ctx_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    unsigned len = 0;
    return f_.hmac_init(ctx_, nullptr, 0, nullptr, nullptr) == 1 && f_.hmac_update(ctx_, in, in_len) == 1 &&
           f_.hmac_final(ctx_, out, &len) == 1;
  }

 private:
  const Functions& f_;
  void* ctx_;
};

class OpensslMac final : public Task {
 public:
  OpensslMac(const Functions& f, void* keyed) : f_(f), keyed_(keyed) {}
  ~OpensslMac() override { f_.mac_ctx_free(keyed_); }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    void* ctx = f_.mac_dup(keyed_);  // cheaper than a new key schedule
    size_t len = 0;
    const bool ok = ctx && f_.mac_update(ctx, in, in_len) == 1 && f_.mac_final(ctx, out, &len, kMaxDigest) == 1;
    f_.mac_ctx_free(ctx);
    return ok;
  }

 private:
  const Functions& f_;
  void* keyed_;
};

class Openssl final : public Peer {
 public:
  explicit Openssl(const PeerPaths& paths)
      : library_(paths.library_dir, {"libcrypto.so.3", "libcrypto.so.4"}, "libcrypto.so.3") {
    library_.get(f_.version, "OpenSSL_version");
    library_.get(f_.init, "OPENSSL_init_crypto");
    library_.get(f_.txt2nid, "OBJ_txt2nid");
    library_.get(f_.cipher_fetch, "EVP_CIPHER_fetch");
    library_.get(f_.cipher_free, "EVP_CIPHER_free");
    library_.get(f_.ctx_new, "EVP_CIPHER_CTX_new");
    library_.get(f_.ctx_free, "EVP_CIPHER_CTX_free");
    library_.get(f_.ctx_ctrl, "EVP_CIPHER_CTX_ctrl");
    library_.get(f_.set_padding, "EVP_CIPHER_CTX_set_padding");
    library_.get(f_.cipher_init, "EVP_CipherInit_ex");
    library_.get(f_.cipher_update, "EVP_CipherUpdate");
    library_.get(f_.md_fetch, "EVP_MD_fetch");
    library_.get(f_.md_free, "EVP_MD_free");
    library_.get(f_.md_ctx_new, "EVP_MD_CTX_new");
    library_.get(f_.md_ctx_free, "EVP_MD_CTX_free");
    library_.get(f_.digest_init, "EVP_DigestInit_ex");
    library_.get(f_.digest_update, "EVP_DigestUpdate");
    library_.get(f_.digest_final, "EVP_DigestFinal_ex");
    library_.get(f_.provider_load, "OSSL_PROVIDER_load");
    library_.get(f_.provider_unload, "OSSL_PROVIDER_unload");
    library_.get(f_.mac_fetch, "EVP_MAC_fetch");
    library_.get(f_.mac_free, "EVP_MAC_free");
    library_.get(f_.mac_ctx_new, "EVP_MAC_CTX_new");
    library_.get(f_.mac_dup, "EVP_MAC_CTX_dup");
    library_.get(f_.mac_ctx_free, "EVP_MAC_CTX_free");
    library_.get(f_.mac_init, "EVP_MAC_init");
    library_.get(f_.mac_update, "EVP_MAC_update");
    library_.get(f_.mac_final, "EVP_MAC_final");
    library_.get_optional(f_.hmac_new, "HMAC_CTX_new");
    library_.get_optional(f_.hmac_free, "HMAC_CTX_free");
    library_.get_optional(f_.hmac_init, "HMAC_Init_ex");
    library_.get_optional(f_.hmac_update, "HMAC_Update");
    library_.get_optional(f_.hmac_final, "HMAC_Final");
    library_.get_optional(f_.engine_by_id, "ENGINE_by_id");
    library_.get_optional(f_.engine_init, "ENGINE_init");
    library_.get_optional(f_.engine_cipher, "ENGINE_get_cipher");
    library_.get_optional(f_.engine_digest, "ENGINE_get_digest");
    f_.init(kInitEngineDynamic, nullptr);
    if (f_.engine_by_id && f_.engine_init && f_.engine_cipher && f_.engine_digest) {
      engine_ = f_.engine_by_id("gost");
      if (engine_ && f_.engine_init(engine_) != 1) engine_ = nullptr;
    }
    default_ = f_.provider_load(nullptr, "default");
    provider_ = f_.provider_load(nullptr, "gostprov");
  }
  ~Openssl() override {
    if (provider_) f_.provider_unload(provider_);
    if (default_) f_.provider_unload(default_);
  }
  std::string name() const override { return "OpenSSL"; }
  std::string version() const override {
    std::string version = f_.version(0);  // "OpenSSL 3.0.22 25 Aug 2026 (Library: ...)"
    version = version.substr(version.find(' ') + 1);
    version = version.substr(0, version.find(' '));
    return version + (engine_ ? " + gost engine" : provider_ ? " + gost provider" : ", no GOST engine or provider");
  }

  std::unique_ptr<Task> prepare(const Work& work) override {
    static const std::map<std::string, const char*> kNames = {
        {"gost28147-cnt", "gost89-cnt-12"},    {"gost28147-cfb", "gost89"},
        {"gost28147-cbc", "gost89-cbc"},       {"streebog256-hash", "md_gost12_256"},
        {"streebog512-hash", "md_gost12_512"}, {"gost94-cryptopro-hash", "md_gost94"},
        {"aes256-ctr", "AES-256-CTR"}};
    const std::string key = work.algorithm + "-" + work.mode;
    const auto known = kNames.find(key);
    const std::string name = known == kNames.end() ? key : known->second;
    if (work.mode == "hash") return hash(name);
    if (work.mode == "hmac") return hmac(kNames.at(work.algorithm + "-hash"));
    if (work.mode == "mac") return mac(name);
    return cipher(name, work);
  }

 private:
  std::unique_ptr<Task> cipher(const std::string& name, const Work& work) {
    const bool aes = work.algorithm == "aes256";
    void* engine = aes ? nullptr : engine_;
    Fetched fetched(nullptr, f_.cipher_free);
    if (aes) fetched.reset(f_.cipher_fetch(nullptr, name.c_str(), "provider=default"));
    else if (!engine_ && provider_) fetched.reset(f_.cipher_fetch(nullptr, name.c_str(), "provider=gostprov"));
    const void* const cipher = engine ? f_.engine_cipher(engine, f_.txt2nid(name.c_str())) : fetched.get();
    if (!cipher) return nullptr;
    auto task = std::make_unique<OpensslCipher>(f_, f_.ctx_new(), work);
    return task->start(cipher, engine, work.encrypts()) ? std::move(task) : nullptr;
  }
  std::unique_ptr<Task> hash(const std::string& name) {
    Fetched fetched(nullptr, f_.md_free);
    if (!engine_ && provider_) fetched.reset(f_.md_fetch(nullptr, name.c_str(), "provider=gostprov"));
    const void* const md = engine_ ? f_.engine_digest(engine_, f_.txt2nid(name.c_str())) : fetched.get();
    return md ? std::make_unique<OpensslHash>(f_, md, std::move(fetched), engine_) : nullptr;
  }
  std::unique_ptr<Task> hmac(const std::string& name) {
    if (!engine_ || !f_.hmac_new || !f_.hmac_free || !f_.hmac_init || !f_.hmac_update || !f_.hmac_final) return nullptr;
    const void* md = f_.engine_digest(engine_, f_.txt2nid(name.c_str()));
    void* ctx = md ? f_.hmac_new() : nullptr;
    if (!ctx) return nullptr;
    auto task = std::make_unique<OpensslHmac>(f_, ctx);
    return f_.hmac_init(ctx, kKey, sizeof kKey, md, engine_) == 1 ? std::move(task) : nullptr;
  }
  std::unique_ptr<Task> mac(const std::string& name) {
    // Only by its name: the provider's MACs lack the property of its ciphers.
    const Fetched mac(provider_ ? f_.mac_fetch(nullptr, name.c_str(), nullptr) : nullptr, f_.mac_free);
    void* ctx = mac ? f_.mac_ctx_new(mac.get()) : nullptr;
    if (!ctx) return nullptr;
    auto task = std::make_unique<OpensslMac>(f_, ctx);
    return f_.mac_init(ctx, kKey, sizeof kKey, nullptr) == 1 ? std::move(task) : nullptr;
  }

  Library library_;
  Functions f_{};
  void *engine_ = nullptr, *default_ = nullptr, *provider_ = nullptr;
};

}  // namespace

std::unique_ptr<Peer> load_openssl(const PeerPaths& paths) { return std::make_unique<Openssl>(paths); }

}  // namespace vsh::bench
