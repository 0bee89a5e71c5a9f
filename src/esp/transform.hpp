// The transforms of RFC 9227 section 4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/registry.hpp"

namespace vsh::esp {

inline constexpr size_t kRootLen = 32, kMaxSalt = 12;
inline constexpr size_t kHeaderLen = 8, kIvLen = 8, kHeadLen = kHeaderLen + kIvLen;
inline constexpr size_t kMaxPacket = 65535;  // an IP packet's length has 16 bits
// RFC 4303 2.4: pad length and next header end a word of 4 bytes.
inline constexpr size_t kWord = 4, kTrailerLen = 2;

struct Transform {
  const char* name;
  unsigned number;  // of IANA
  Algorithm cipher;
  bool confidential;
  size_t salt_len, icv_len;    // 4.4, 4.5
  uint32_t leaf_packets;       // under one leaf key, by default
  uint32_t most_leaf_packets;  // 4.2: pnum has 24 bits; section 5: 2^28 octets of Magma are 4096 longest packets

  constexpr size_t key_len() const noexcept { return kRootLen + salt_len; }
  constexpr size_t min_packet() const noexcept { return kHeadLen + kWord + icv_len; }
  static constexpr size_t padding(size_t payload_len) noexcept { return (0 - payload_len - kTrailerLen) % kWord; }
  // Returns 0 for a payload that no IP packet can carry.
  constexpr size_t packet_len(size_t payload_len) const noexcept {
    if (payload_len > kMaxPacket) return 0;
    const size_t len = kHeadLen + payload_len + padding(payload_len) + kTrailerLen + icv_len;
    return len > kMaxPacket ? 0 : len;
  }
};

constexpr Transform kTransforms[] = {
    {"kuznyechik-mgm-ktree", 32, Algorithm::kuznyechik, true, 12, 12, 1 << 16, 1 << 24},
    {"magma-mgm-ktree", 33, Algorithm::magma, true, 4, 8, 1 << 12, 1 << 12},
    {"kuznyechik-mgm-mac-ktree", 34, Algorithm::kuznyechik, false, 12, 12, 1 << 16, 1 << 24},
    {"magma-mgm-mac-ktree", 35, Algorithm::magma, false, 4, 8, 1 << 12, 1 << 12},
};

}  // namespace vsh::esp
