#include "api/arguments/names.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "circuits/sbox_tables.hpp"

namespace vsh::api {
namespace {

struct CipherName {
  const char* name;
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
};

// Lists every cipher with each of its modes.
constexpr CipherName kCiphers[] = {
    {"kuznyechik-ecb", VSH_KUZNYECHIK, VSH_ECB},
    {"kuznyechik-ctr", VSH_KUZNYECHIK, VSH_CTR},
    {"kuznyechik-ofb", VSH_KUZNYECHIK, VSH_OFB},
    {"kuznyechik-cbc", VSH_KUZNYECHIK, VSH_CBC},
    {"kuznyechik-cfb", VSH_KUZNYECHIK, VSH_CFB},
    {"magma-ecb", VSH_MAGMA, VSH_ECB},
    {"magma-ctr", VSH_MAGMA, VSH_CTR},
    {"magma-ofb", VSH_MAGMA, VSH_OFB},
    {"magma-cbc", VSH_MAGMA, VSH_CBC},
    {"magma-cfb", VSH_MAGMA, VSH_CFB},
    {"gost28147-ecb", VSH_GOST28147, VSH_ECB},
    {"gost28147-cnt", VSH_GOST28147, VSH_CNT},
    {"gost28147-cfb", VSH_GOST28147, VSH_CFB},
    {"gost28147-cbc", VSH_GOST28147, VSH_CBC},
    {"kuznyechik-ctr-acpkm", VSH_KUZNYECHIK, VSH_CTR_ACPKM},
    {"magma-ctr-acpkm", VSH_MAGMA, VSH_CTR_ACPKM},
};

struct HashName {
  const char* name;
  vsh_hash_algorithm algorithm;
  size_t len;
};

constexpr HashName kHashes[] = {{"streebog256", VSH_STREEBOG256, 32},
                                {"streebog512", VSH_STREEBOG512, 64},
                                {"gost94-cryptopro", VSH_GOST94_CRYPTOPRO, 32},
                                {"gost94-test", VSH_GOST94_TEST, 32}};

constexpr MacName kMacs[] = {{"kuznyechik-mac", VSH_KUZNYECHIK_MAC, Algorithm::kuznyechik},
                             {"magma-mac", VSH_MAGMA_MAC, Algorithm::magma},
                             {"gost28147-imit", VSH_GOST28147_IMIT, Algorithm::gost28147},
                             {"kuznyechik-omac-acpkm", VSH_KUZNYECHIK_OMAC_ACPKM, Algorithm::kuznyechik},
                             {"magma-omac-acpkm", VSH_MAGMA_OMAC_ACPKM, Algorithm::magma},
                             {"hmac-streebog256", VSH_HMAC_STREEBOG256, Algorithm::streebog, 32},
                             {"hmac-streebog512", VSH_HMAC_STREEBOG512, Algorithm::streebog, 64}};

constexpr AeadName kAeads[] = {{"kuznyechik-mgm", VSH_KUZNYECHIK_MGM, Algorithm::kuznyechik, 16},
                               {"magma-mgm", VSH_MAGMA_MGM, Algorithm::magma, 8},
                               {"kuznyechik-ctr-acpkm-omac", VSH_KUZNYECHIK_CTR_ACPKM_OMAC, Algorithm::kuznyechik, 16},
                               {"magma-ctr-acpkm-omac", VSH_MAGMA_CTR_ACPKM_OMAC, Algorithm::magma, 12}};

// The sets' names in RFC 4357 and RFC 7836 without the id- and -ParamSet around them, in the order of kMagmaSboxes.
constexpr const char* kOtherSboxNames[] = {"param-Z",     "CryptoPro-A", "CryptoPro-B",  "CryptoPro-C",
                                           "CryptoPro-D", "28147-Test",  "3411-94-Test", "3411-94-CryptoPro"};
static_assert(std::size(kOtherSboxNames) == tables::kNumMagmaSboxes);

bool equal_but_for_case(std::string_view a, std::string_view b) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

size_t block_len(unsigned cipher_algorithm) noexcept {
  const bool exists = cipher_algorithm >= VSH_KUZNYECHIK && cipher_algorithm <= VSH_GOST28147;
  return exists ? block_size(algorithm_of(cipher_algorithm)) : 0;
}

size_t hash_len(unsigned hash_algorithm) noexcept {
  const HashName* row = find_algorithm(kHashes, hash_algorithm);
  return row ? row->len : 0;
}

bool is_cipher(unsigned cipher_algorithm, unsigned mode) noexcept {
  for (const CipherName& row : kCiphers)
    if (row.algorithm == cipher_algorithm && row.mode == mode) return true;
  return false;
}

const MacName* find_mac(unsigned mac_algorithm) noexcept { return find_algorithm(kMacs, mac_algorithm); }

const AeadName* find_aead(unsigned aead_algorithm) noexcept { return find_algorithm(kAeads, aead_algorithm); }

// The ciphers have the same order on both sides of the ABI.
static_assert(static_cast<int>(Algorithm::kuznyechik) == 0 && static_cast<int>(Algorithm::magma) == 1);
static_assert(VSH_KUZNYECHIK == 1 && VSH_MAGMA == 2 && VSH_GOST28147 == 3 && Algorithm{2} == Algorithm::gost28147);
Algorithm algorithm_of(unsigned cipher_algorithm) noexcept {
  return static_cast<Algorithm>(cipher_algorithm - VSH_KUZNYECHIK);
}

}  // namespace vsh::api

using namespace vsh::api;

vsh_status vsh_cipher_by_name(vsh_cipher_algorithm* algorithm, vsh_mode* mode, const char* name) {
  const CipherName* row = find_name(kCiphers, name);
  if (!row || !algorithm || !mode) return VSH_E_ARGUMENT;
  *algorithm = row->algorithm;
  *mode = row->mode;
  return VSH_OK;
}

vsh_status vsh_hash_by_name(vsh_hash_algorithm* algorithm, const char* name) {
  return algorithm_by_name(kHashes, algorithm, name);
}

vsh_status vsh_mac_by_name(vsh_mac_algorithm* algorithm, const char* name) {
  return algorithm_by_name(kMacs, algorithm, name);
}

vsh_status vsh_aead_by_name(vsh_aead_algorithm* algorithm, const char* name) {
  return algorithm_by_name(kAeads, algorithm, name);
}

vsh_status vsh_sbox_by_name(vsh_sbox* sbox, const char* name) {
  if (!sbox || !name) return VSH_E_ARGUMENT;
  const std::string_view wanted(name);
  for (int i = 0; i < vsh::tables::kNumMagmaSboxes; ++i) {
    const auto& set = vsh::tables::kMagmaSboxes[i];
    const bool is_it = equal_but_for_case(wanted, set.name) || equal_but_for_case(wanted, set.oid_name) ||
                       equal_but_for_case(wanted, kOtherSboxNames[i]);
    if (!is_it) continue;
    *sbox = static_cast<vsh_sbox>(VSH_SBOX_TC26_Z + i);
    return VSH_OK;
  }
  return VSH_E_ARGUMENT;
}

const char* vsh_cipher_name(size_t i) { return name_at(kCiphers, i); }
const char* vsh_hash_name(size_t i) { return name_at(kHashes, i); }
const char* vsh_mac_name(size_t i) { return name_at(kMacs, i); }
const char* vsh_aead_name(size_t i) { return name_at(kAeads, i); }
const char* vsh_sbox_name(size_t i) { return name_at(vsh::tables::kMagmaSboxes, i); }

size_t vsh_block_len(vsh_cipher_algorithm algorithm) { return block_len(number(algorithm)); }

size_t vsh_hash_len(vsh_hash_algorithm algorithm) { return hash_len(number(algorithm)); }

size_t vsh_mac_max_len(vsh_mac_algorithm algorithm) {
  const MacName* row = find_mac(number(algorithm));
  return row ? row->max_len() : 0;
}

size_t vsh_aead_nonce_len(vsh_aead_algorithm algorithm) {
  const AeadName* row = find_aead(number(algorithm));
  return row ? row->nonce_len : 0;
}

size_t vsh_aead_max_tag_len(vsh_aead_algorithm algorithm) {
  const AeadName* row = find_aead(number(algorithm));
  return row ? row->max_tag_len() : 0;
}

size_t vsh_iv_len(vsh_cipher_algorithm algorithm, vsh_mode mode) {
  if (!is_cipher(number(algorithm), number(mode))) return 0;
  const size_t n = block_len(number(algorithm));
  switch (number(mode)) {
    case VSH_ECB: return 0;
    case VSH_CTR:
    case VSH_CTR_ACPKM: return n / 2;
    default: return n;
  }
}
