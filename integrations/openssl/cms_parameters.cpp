#include "cms_parameters.hpp"

#include <algorithm>
#include <cstring>

namespace vsh::openssl {
namespace {

constexpr uint8_t kOctetString = 0x04, kObjectIdentifier = 0x06, kSequence = 0x30;

// RFC 4357 11.1, RFC 7836 C.
struct SboxOid {
  vsh_sbox sbox;
  std::string_view text;
  uint8_t len;
  uint8_t oid[9];
};
constexpr SboxOid kSboxOids[] = {
    {VSH_SBOX_28147_TEST, "1.2.643.2.2.31.0", 7, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x1f, 0x00}},
    {VSH_SBOX_CRYPTOPRO_A, "1.2.643.2.2.31.1", 7, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x1f, 0x01}},
    {VSH_SBOX_CRYPTOPRO_B, "1.2.643.2.2.31.2", 7, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x1f, 0x02}},
    {VSH_SBOX_CRYPTOPRO_C, "1.2.643.2.2.31.3", 7, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x1f, 0x03}},
    {VSH_SBOX_CRYPTOPRO_D, "1.2.643.2.2.31.4", 7, {0x2a, 0x85, 0x03, 0x02, 0x02, 0x1f, 0x04}},
    {VSH_SBOX_TC26_Z, "1.2.643.7.1.2.5.1.1", 9, {0x2a, 0x85, 0x03, 0x07, 0x01, 0x02, 0x05, 0x01, 0x01}},
};

// Writes one element; all lengths here are below 128, a single byte.
uint8_t* put(uint8_t* der, uint8_t tag, Bytes content) noexcept {
  *der++ = tag;
  *der++ = static_cast<uint8_t>(content.size());
  return std::copy(content.begin(), content.end(), der);
}

// Removes an element from the front of der; returns false if there is none of that tag.
bool take(Bytes& der, uint8_t tag, Bytes& content) noexcept {
  if (der.size() < 2 || der[0] != tag || der[1] > 127 || der[1] > der.size() - 2) return false;
  content = der.subspan(2, der[1]);
  der = der.subspan(2 + content.size());
  return true;
}

size_t put_sequence(uint8_t* der, Bytes content) noexcept {
  return static_cast<size_t>(put(der, kSequence, content) - der);
}

bool take_sequence(Bytes der, Bytes& content) noexcept { return take(der, kSequence, content) && der.empty(); }

bool take_octets(Bytes& der, uint8_t* out, size_t len) noexcept {
  Bytes octets;
  if (!take(der, kOctetString, octets) || octets.size() != len) return false;
  std::copy(octets.begin(), octets.end(), out);
  return true;
}

}  // namespace

bool find_sbox(std::string_view name, vsh_sbox& sbox) noexcept {
  for (const SboxOid& set : kSboxOids)
    if (set.text == name) return sbox = set.sbox, true;
  char text[64] = {};
  if (name.size() >= sizeof text) return false;
  std::copy(name.begin(), name.end(), text);
  return vsh_sbox_by_name(&sbox, text) == VSH_OK;
}

size_t write_gost28147_parameters(uint8_t* der, Bytes iv, vsh_sbox sbox) noexcept {
  for (const SboxOid& set : kSboxOids)
    if (set.sbox == sbox) {
      uint8_t content[kMaxCmsParameters];
      uint8_t* const end = put(put(content, kOctetString, iv), kObjectIdentifier, {set.oid, set.len});
      return put_sequence(der, {content, end});
    }
  return 0;
}

bool read_gost28147_parameters(Bytes der, uint8_t* iv, size_t iv_len, vsh_sbox& sbox) noexcept {
  Bytes content, oid;
  uint8_t read_iv[VSH_MAX_BLOCK_LEN];
  if (!take_sequence(der, content) || !take_octets(content, read_iv, iv_len)) return false;
  if (!take(content, kObjectIdentifier, oid) || !content.empty()) return false;
  for (const SboxOid& set : kSboxOids)
    if (std::equal(oid.begin(), oid.end(), set.oid, set.oid + set.len)) {
      sbox = set.sbox;
      std::copy_n(read_iv, iv_len, iv);
      return true;
    }
  return false;
}

size_t write_gostr3412_parameters(uint8_t* der, Bytes ukm) noexcept {
  uint8_t content[kMaxCmsParameters];
  return put_sequence(der, {content, put(content, kOctetString, ukm)});
}

bool read_gostr3412_parameters(Bytes der, uint8_t* ukm, size_t ukm_len) noexcept {
  Bytes content;
  return take_sequence(der, content) && take_octets(content, ukm, ukm_len) && content.empty();
}

}  // namespace vsh::openssl
