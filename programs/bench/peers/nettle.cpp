// Nettle: Streebog and HMAC over it (its GOST 28147-89 is internal to its GOST R 34.11-94).
#include <vector>

#include "library.hpp"

namespace vsh::bench {
namespace {

// struct nettle_hash of Nettle 3, a part of its ABI.
struct HashTable {
  const char* name;
  unsigned context_size, digest_size, block_size;
  void (*init)(void* context);
  void (*update)(void* context, size_t len, const uint8_t* in);
  void (*digest)(void* context, size_t len, uint8_t* out);
};

class NettleHash final : public Task {
 public:
  explicit NettleHash(const HashTable& hash) : hash_(hash), context_(hash.context_size / sizeof(uint64_t) + 8) {}
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    hash_.init(context_.data());
    hash_.update(context_.data(), in_len, in);
    hash_.digest(context_.data(), hash_.digest_size, out);
    return true;
  }

 private:
  const HashTable& hash_;
  std::vector<uint64_t> context_;
};

// HMAC with nettle_hmac_set_key and related functions, which take any hash: three of its contexts.
struct HmacFunctions {
  void (*set_key)(void* outer, void* inner, void* state, const HashTable* hash, size_t key_len, const uint8_t* key);
  void (*update)(void* state, const HashTable* hash, size_t len, const uint8_t* in);
  void (*digest)(const void* outer, const void* inner, void* state, const HashTable* hash, size_t len, uint8_t* out);
};

class NettleHmac final : public Task {
 public:
  NettleHmac(const HmacFunctions& f, const HashTable& hash)
      : f_(f), hash_(hash), outer_(hash.context_size / sizeof(uint64_t) + 8), inner_(outer_), state_(outer_) {
    f_.set_key(outer_.data(), inner_.data(), state_.data(), &hash_, sizeof kKey, kKey);
  }
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    f_.update(state_.data(), &hash_, in_len, in);
    f_.digest(outer_.data(), inner_.data(), state_.data(), &hash_, hash_.digest_size, out);
    return true;
  }

 private:
  const HmacFunctions& f_;
  const HashTable& hash_;
  std::vector<uint64_t> outer_, inner_, state_;
};

class Nettle final : public Peer {
 public:
  explicit Nettle(const PeerPaths& paths) : library_(paths.library_dir, {"libnettle.so.8"}, "libnettle.so.8") {
    library_.get(major_, "nettle_version_major");
    library_.get(minor_, "nettle_version_minor");
    library_.get_optional(streebog256_, "nettle_streebog256");
    library_.get_optional(streebog512_, "nettle_streebog512");
    library_.get_optional(gosthash94_, "nettle_gosthash94");
    library_.get_optional(gosthash94cp_, "nettle_gosthash94cp");
    library_.get(hmac_.set_key, "nettle_hmac_set_key");
    library_.get(hmac_.update, "nettle_hmac_update");
    library_.get(hmac_.digest, "nettle_hmac_digest");
  }
  std::string name() const override { return "Nettle"; }
  std::string version() const override { return std::to_string(major_()) + "." + std::to_string(minor_()); }
  std::unique_ptr<Task> prepare(const Work& work) override {
    const HashTable* hash = work.algorithm == "streebog256"        ? streebog256_
                            : work.algorithm == "streebog512"      ? streebog512_
                            : work.algorithm == "gost94-test"      ? gosthash94_
                            : work.algorithm == "gost94-cryptopro" ? gosthash94cp_
                                                                   : nullptr;
    if (hash && work.mode == "hash") return std::make_unique<NettleHash>(*hash);
    if (hash && work.mode == "hmac") return std::make_unique<NettleHmac>(hmac_, *hash);
    return nullptr;
  }

 private:
  Library library_;
  int (*major_)() = nullptr;
  int (*minor_)() = nullptr;
  const HashTable* streebog256_ = nullptr;
  const HashTable* streebog512_ = nullptr;
  const HashTable* gosthash94_ = nullptr;
  const HashTable* gosthash94cp_ = nullptr;
  HmacFunctions hmac_{};
};

}  // namespace

std::unique_ptr<Peer> load_nettle(const PeerPaths& paths) { return std::make_unique<Nettle>(paths); }

}  // namespace vsh::bench
