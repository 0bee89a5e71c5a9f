#include "keys/pbes2.hpp"

#include <algorithm>
#include <cstring>

#include "keys/der.hpp"

namespace vsh::keys {
namespace {

using der::Bytes;
using der::Reader;

// Contents of object identifiers. 1.2.840.113549.1.5.13 and .12; 1.2.643.7.1.1.4.2
constexpr uint8_t kPbes2Oid[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d};
constexpr uint8_t kPbkdf2Oid[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c};
constexpr uint8_t kHmac512Oid[] = {0x2a, 0x85, 0x03, 0x07, 0x01, 0x01, 0x04, 0x02};

struct Oid {
  uint8_t len;
  uint8_t bytes[9];
  Bytes content() const noexcept { return {bytes, len}; }
};
constexpr Oid kCipherOids[kNumPbes2Ciphers] = {
    {9, {0x2a, 0x85, 0x03, 0x07, 0x01, 0x01, 0x05, 0x01, 0x01}},  // 1.2.643.7.1.1.5.1.1
    {9, {0x2a, 0x85, 0x03, 0x07, 0x01, 0x01, 0x05, 0x01, 0x02}},
    {9, {0x2a, 0x85, 0x03, 0x07, 0x01, 0x01, 0x05, 0x02, 0x01}},
    {9, {0x2a, 0x85, 0x03, 0x07, 0x01, 0x01, 0x05, 0x02, 0x02}},
    {6, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x15}},  // 1.2.643.2.2.21
};
constexpr Oid kSboxOids[kNumPbes2Sboxes] = {
    {9, {0x2a, 0x85, 0x03, 0x07, 0x01, 0x02, 0x05, 0x01, 0x01}},  // 1.2.643.7.1.2.5.1.1
    {7, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x1f, 0x01}},              // 1.2.643.2.2.31.1
    {7, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x1f, 0x02}},
    {7, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x1f, 0x03}},
    {7, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x1f, 0x04}},
    {7, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x1f, 0x00}},
};

bool equal(Bytes a, Bytes b) noexcept { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// Returns the index of an OID in a list, or kSize.
template <size_t kSize>
size_t find(const Oid (&list)[kSize], Bytes content) noexcept {
  return static_cast<size_t>(
      std::find_if(list, list + kSize, [&](const Oid& o) { return equal(o.content(), content); }) - list);
}

bool copy(uint8_t* out, size_t capacity, size_t& len, Bytes content) noexcept {
  if (content.size() > capacity) return false;
  len = content.size();
  if (len > 0) std::memcpy(out, content.data(), len);
  return true;
}

// SEQUENCE { salt OCTET STRING, iterationCount INTEGER, keyLength INTEGER OPTIONAL, prf AlgorithmIdentifier }
Pbes2Status read_pbkdf2(Pbes2& p, Reader in) noexcept {
  Bytes salt, prf;
  uint64_t iterations, key_len = 32;
  Reader algorithm{{}};
  if (!in.read(der::octet_string, salt) || !in.read_unsigned(iterations)) return Pbes2Status::format;
  if (in.next_is(der::integer) && !in.read_unsigned(key_len)) return Pbes2Status::format;
  if (in.at_end()) return Pbes2Status::unknown;  // the default PRF: HMAC-SHA-1
  if (!in.enter(algorithm) || !in.at_end() || !algorithm.read(der::oid, prf)) return Pbes2Status::format;
  if (!equal(prf, kHmac512Oid)) return Pbes2Status::unknown;
  if (!algorithm.at_end() && (!algorithm.read_null() || !algorithm.at_end())) return Pbes2Status::format;
  if (key_len != 32 || iterations > UINT32_MAX || !copy(p.salt, sizeof p.salt, p.salt_len, salt))
    return Pbes2Status::bounds;
  p.iterations = static_cast<uint32_t>(iterations);
  return Pbes2Status::ok;
}

// RFC 9337 7.3: SEQUENCE { ukm OCTET STRING }; RFC 4357 10.2: SEQUENCE { iv OCTET STRING, encryptionParamSet OID }.
Pbes2Status read_cipher(Pbes2& p, Reader in) noexcept {
  Bytes name, iv, set;
  Reader parameters{{}};
  if (!in.read(der::oid, name)) return Pbes2Status::format;
  const size_t cipher = find(kCipherOids, name);
  if (cipher == kNumPbes2Ciphers) return Pbes2Status::unknown;
  p.cipher = static_cast<Pbes2Cipher>(cipher);
  if (!in.enter(parameters) || !in.at_end() || !parameters.read(der::octet_string, iv)) return Pbes2Status::format;
  size_t sbox = 0;
  if (p.cipher == Pbes2Cipher::gost28147_cfb) {
    if (!parameters.read(der::oid, set)) return Pbes2Status::format;
    sbox = find(kSboxOids, set);
    if (sbox == kNumPbes2Sboxes) return Pbes2Status::unknown;
  }
  p.sbox = static_cast<Pbes2Sbox>(sbox);
  if (!parameters.at_end()) return Pbes2Status::format;
  return copy(p.iv, sizeof p.iv, p.iv_len, iv) ? Pbes2Status::ok : Pbes2Status::bounds;
}

}  // namespace

size_t pbes2_iv_len(Pbes2Cipher cipher) noexcept {
  switch (cipher) {
    case Pbes2Cipher::magma_ctr_acpkm:
    case Pbes2Cipher::magma_ctr_acpkm_omac: return 12;
    case Pbes2Cipher::kuznyechik_ctr_acpkm:
    case Pbes2Cipher::kuznyechik_ctr_acpkm_omac: return 16;
    case Pbes2Cipher::gost28147_cfb: break;
  }
  return 8;
}

bool pbes2_in_bounds(const Pbes2& p) noexcept {
  return p.iterations >= 1 && p.salt_len >= Pbes2::kMinSalt && p.salt_len <= Pbes2::kMaxSalt &&
         p.iv_len == pbes2_iv_len(p.cipher);
}

size_t pbes2_encode(uint8_t* out, const Pbes2& p) noexcept {
  der::Writer<Pbes2::kMaxDer> der;
  // Written backwards: the cipher, then PBKDF2, then the enclosing structures.
  if (p.cipher == Pbes2Cipher::gost28147_cfb) der.element(der::oid, kSboxOids[static_cast<size_t>(p.sbox)].content());
  der.element(der::octet_string, {p.iv, p.iv_len});
  der.wrap(0);
  der.element(der::oid, kCipherOids[static_cast<size_t>(p.cipher)].content());
  der.wrap(0);
  const size_t before_kdf = der.size();
  der.element(der::null, {});
  der.element(der::oid, kHmac512Oid);
  der.wrap(before_kdf);
  der.unsigned_integer(p.iterations);
  der.element(der::octet_string, {p.salt, p.salt_len});
  der.wrap(before_kdf);
  der.element(der::oid, kPbkdf2Oid);
  der.wrap(before_kdf);
  der.wrap(0);
  der.element(der::oid, kPbes2Oid);
  der.wrap(0);
  const Bytes result = der.result();
  std::memcpy(out, result.data(), result.size());
  return result.size();
}

Pbes2Status pbes2_decode(Pbes2& parameters, std::span<const uint8_t> in) noexcept {
  Pbes2 p{};
  Reader whole(in), algorithm{{}}, both{{}}, kdf{{}}, kdf_parameters{{}}, cipher{{}};
  Bytes name;
  if (!whole.enter(algorithm) || !whole.at_end() || !algorithm.read(der::oid, name)) return Pbes2Status::format;
  if (!equal(name, kPbes2Oid)) return Pbes2Status::format;
  if (!algorithm.enter(both) || !algorithm.at_end()) return Pbes2Status::format;
  if (!both.enter(kdf) || !both.enter(cipher) || !both.at_end() || !kdf.read(der::oid, name))
    return Pbes2Status::format;
  if (!equal(name, kPbkdf2Oid)) return Pbes2Status::unknown;
  if (!kdf.enter(kdf_parameters) || !kdf.at_end()) return Pbes2Status::format;
  if (const Pbes2Status status = read_pbkdf2(p, kdf_parameters); status != Pbes2Status::ok) return status;
  if (const Pbes2Status status = read_cipher(p, cipher); status != Pbes2Status::ok) return status;
  if (!pbes2_in_bounds(p)) return Pbes2Status::bounds;
  parameters = p;
  return Pbes2Status::ok;
}

}  // namespace vsh::keys
