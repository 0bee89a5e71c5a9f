// Nettle: Streebog, HMAC and PBKDF2 over it, GOST R 34.11-94; its GOST 28147-89 is internal.
#include "oracle.hpp"

#include <nettle/gosthash94.h>
#include <nettle/hmac.h>
#include <nettle/nettle-meta.h>
#include <nettle/pbkdf2.h>
#include <nettle/streebog.h>
#include <nettle/version.h>
#undef pbkdf2  // a macro of Nettle's that would rename ours

namespace vsh::oracle {
namespace {

class Nettle final : public Oracle {
 public:
  std::string name() const override {
    return "Nettle " + std::to_string(NETTLE_VERSION_MAJOR) + "." + std::to_string(NETTLE_VERSION_MINOR);
  }

  std::optional<Bytes> hash(const std::string& name, const Bytes& data) override {
    streebog512_ctx context;
    if (name == "streebog256") {
      Bytes out(STREEBOG256_DIGEST_SIZE);
      streebog256_init(&context);
      streebog256_update(&context, data.size(), data.data());
      streebog256_digest(&context, out.size(), out.data());
      return out;
    }
    if (name == "streebog512") {
      Bytes out(STREEBOG512_DIGEST_SIZE);
      streebog512_init(&context);
      streebog512_update(&context, data.size(), data.data());
      streebog512_digest(&context, out.size(), out.data());
      return out;
    }
    if (name == "gost94-test" || name == "gost94-cryptopro") {
      const nettle_hash& gost94 = name == "gost94-test" ? nettle_gosthash94 : nettle_gosthash94cp;
      gosthash94cp_ctx gost94_context;
      Bytes out(GOSTHASH94_DIGEST_SIZE);
      gost94.init(&gost94_context);
      gost94.update(&gost94_context, data.size(), data.data());
      gost94.digest(&gost94_context, out.size(), out.data());
      return out;
    }
    return std::nullopt;
  }

  std::optional<Bytes> mac(const std::string& name, const Bytes& key, const std::string&, const Bytes& data,
                           size_t tag_len) override {
    Bytes out(tag_len);
    hmac_streebog512_ctx context;
    if (name == "hmac-streebog256") {
      hmac_streebog256_set_key(&context, key.size(), key.data());
      hmac_streebog512_update(&context, data.size(), data.data());
      hmac_streebog256_digest(&context, tag_len, out.data());
      return out;
    }
    if (name == "hmac-streebog512") {
      hmac_streebog512_set_key(&context, key.size(), key.data());
      hmac_streebog512_update(&context, data.size(), data.data());
      hmac_streebog512_digest(&context, tag_len, out.data());
      return out;
    }
    return std::nullopt;
  }

  std::optional<Bytes> pbkdf2(const Bytes& password, const Bytes& salt, uint32_t iterations, size_t len) override {
    Bytes out(len);
    hmac_streebog512_ctx context;
    hmac_streebog512_set_key(&context, password.size(), password.data());
    nettle_pbkdf2(&context, reinterpret_cast<nettle_hash_update_func*>(hmac_streebog512_update),
                  reinterpret_cast<nettle_hash_digest_func*>(hmac_streebog512_digest), STREEBOG512_DIGEST_SIZE,
                  iterations, salt.size(), salt.data(), len, out.data());
    return out;
  }
};

}  // namespace

std::unique_ptr<Oracle> make_nettle(std::string*) { return std::make_unique<Nettle>(); }

}  // namespace vsh::oracle
