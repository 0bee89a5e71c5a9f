#include "programs/vershina/openssl/pbkdf2.hpp"

#include <algorithm>
#include <stdexcept>

#include "programs/common/digest/sha256.hpp"
#include "programs/common/system/contexts.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

using View = std::span<const uint8_t>;

void check(vsh_status status) {
  if (status != VSH_OK) throw Failure(ExitCode::internal, "PBKDF2: " + tr(vsh_status_message(status)));
}

class HmacStreebog256 {
 public:
  static constexpr size_t kLen = 32;

  explicit HmacStreebog256(View key) {
    vsh_mac* context = nullptr;
    check(vsh_mac_new(&context, VSH_HMAC_STREEBOG256, key.data(), key.size(), nullptr));
    context_.reset(context);
  }

  void operator()(uint8_t (&tag)[kLen], View first, View second) const {
    check(vsh_mac_reset(context_.get()));
    check(vsh_mac_update(context_.get(), first.data(), first.size()));
    check(vsh_mac_update(context_.get(), second.data(), second.size()));
    check(vsh_mac_final(context_.get(), tag, kLen));
  }

 private:
  MacContext context_;
};

// The library's PBKDF2 supports only HMAC-Streebog-512, as in RFC 9337; this one any HMAC.
template <class Hmac>
void pbkdf2(std::span<uint8_t> out, View passphrase, View salt, uint32_t iterations) {
  const Hmac hmac(passphrase);
  SecretBytes<Hmac::kLen> u, sum;
  for (uint8_t block = 1; !out.empty(); ++block) {  // a key and an IV are two blocks at most
    const uint8_t index[4] = {0, 0, 0, block};
    hmac(u.bytes, salt, index);
    std::copy_n(u.bytes, Hmac::kLen, sum.bytes);
    for (uint32_t i = 1; i < iterations; ++i) {
      hmac(u.bytes, u.bytes, {});
      for (size_t j = 0; j < Hmac::kLen; ++j) sum.bytes[j] ^= u.bytes[j];
    }
    const size_t len = std::min(out.size(), Hmac::kLen);
    std::copy_n(sum.bytes, len, out.begin());
    out = out.subspan(len);
  }
}

void pbkdf2_streebog512(std::span<uint8_t> out, View passphrase, View salt, uint32_t iterations) {
  check(vsh_pbkdf2(out.data(), out.size(), passphrase.data(), passphrase.size(), salt.data(), salt.size(), iterations,
                   nullptr));
}

constexpr OpensslDigest kDigests[] = {
    {"md_gost12_512", pbkdf2_streebog512}, {"md_gost12_256", pbkdf2<HmacStreebog256>}, {"sha256", pbkdf2<HmacSha256>}};

}  // namespace

std::vector<std::string> openssl_digest_names() {
  std::vector<std::string> names;
  for (const OpensslDigest& digest : kDigests) names.emplace_back(digest.name);
  return names;
}

const OpensslDigest& openssl_digest(const std::string& name) {
  for (const OpensslDigest& digest : kDigests)
    if (name == digest.name) return digest;
  throw std::invalid_argument(name);
}

}  // namespace vsh::cli
