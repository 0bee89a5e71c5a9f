// Association is the state of one security association: key tree, salt, sequence numbers, window, lifetime.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "core/bytes.hpp"
#include "core/wipe.hpp"
#include "esp/transform.hpp"
#include "esp/window.hpp"
#include "keys/esptree.hpp"

namespace vsh::esp {

// i1, i2 and i3 of the IV, in this order, as one number of 40 bits.
inline constexpr unsigned kLeafBits = 40;
inline constexpr uint64_t kNoLeaf = UINT64_MAX;

struct AssociationParameters {
  const Transform* transform;
  bool outbound, extended;
  uint32_t spi;
  unsigned window;
  const uint8_t* key;  // transform->key_len() bytes
  uint64_t sequence;
  uint32_t leaf_packets;
  uint64_t first_leaf;
  uint64_t max_packets, max_octets;  // 0: none
};

// Its members are in the order of their use: what each packet needs is in the first two lines of a cache.
class alignas(64) Association {  // aligned as Streebog's state is, too
 public:
  static void* operator new(size_t size, std::align_val_t alignment) { return ::operator new(size, alignment); }
  static void operator delete(void* p, size_t size, std::align_val_t alignment) noexcept {
    wipe(p, size);
    ::operator delete(p, alignment);
  }

  Association(const HashKernel* hash, const AssociationParameters& p) noexcept
      : transform(*p.transform),
        spi(p.spi),
        outbound(p.outbound),
        extended(p.extended),
        max_packets(p.max_packets ? p.max_packets : UINT64_MAX),
        max_octets(p.max_octets ? p.max_octets : UINT64_MAX),
        leaf_packets(p.leaf_packets),
        window(p.window, p.outbound ? 0 : p.sequence),
        first_leaf(p.first_leaf),
        tree_(hash, keys::Bytes(p.key, kRootLen)) {
    std::memcpy(salt_, p.key + kRootLen, transform.salt_len);
    set_next(p.sequence ? p.sequence : 1);
  }
  Association(const Association&) = delete;
  Association& operator=(const Association&) = delete;

  uint64_t last_sequence() const noexcept { return extended ? UINT64_MAX : UINT32_MAX; }
  // Returns whether number `next` exists and has a leaf: sequence numbers and IVs never repeat (RFC 4303 3.3.3, RFC
  // 9227 4.8).
  bool has_next() const noexcept {
    return !ended_ && next_ != 0 && next_ <= last_sequence() && next_leaf_ < uint64_t{1} << kLeafBits;
  }
  // Ends sending, of short packets too, so that no later packet overtakes a refused one.
  void end() noexcept { ended_ = true; }
  uint64_t next() const noexcept { return next_; }  // outbound: of the next packet; 0: none is left
  void set_next(uint64_t sequence) noexcept {
    next_ = sequence;
    next_pnum_ = static_cast<uint32_t>((sequence - 1) % leaf_packets);
    next_leaf_ = (sequence - 1) / leaf_packets;
    next_leaf_ += std::min(first_leaf, UINT64_MAX - next_leaf_);  // beyond the last is beyond the last
  }
  // Goes on to the number after next(); only if has_next().
  void advance() noexcept {
    ++next_;  // 0 after the last
    if (++next_pnum_ == leaf_packets) ++next_leaf_, next_pnum_ = 0;
  }
  // `octets` more of payload with trailer are within the lifetime.
  bool lives(uint64_t more_packets, uint64_t more_octets) const noexcept {
    return packets <= max_packets && more_packets <= max_packets - packets && octets <= max_octets &&
           more_octets <= max_octets - octets;
  }
  // The IV of number `next`.
  void write_iv(uint8_t* iv) const noexcept { store_be64(iv, next_leaf_ << 24 | next_pnum_); }
  static uint64_t leaf_of(const uint8_t* iv) noexcept { return load_be64(iv) >> 24; }

  // RFC 9227 4.3: a byte of 0, pnum, the salt. nonce: a block.
  void write_nonce(uint8_t* nonce, const uint8_t* iv) const noexcept {
    nonce[0] = 0;
    std::memcpy(nonce + 1, iv + 5, 3);
    std::memcpy(nonce + 4, salt_, transform.salt_len);
  }

  // Returns K_msg of a leaf: 32 bytes, valid until the next call.
  const uint8_t* leaf_key(uint64_t leaf) noexcept {
    return tree_.key(static_cast<uint8_t>(leaf >> 32), static_cast<uint16_t>(leaf >> 16), static_cast<uint16_t>(leaf));
  }

  // Begins to fetch what a packet needs.
  void prefetch() const noexcept {
    for (size_t at = 0; at < kHotBytes; at += 64) __builtin_prefetch(reinterpret_cast<const uint8_t*>(this) + at);
  }

  const Transform& transform;
  const uint32_t spi;
  const bool outbound, extended;
  const uint64_t max_packets, max_octets;
  uint64_t leaf = kNoLeaf;  // the one whose key is prepared
  uint64_t packets = 0, octets = 0;

 private:
  static constexpr size_t kHotBytes = 128;

  uint64_t next_ = 0, next_leaf_ = 0;
  uint32_t next_pnum_ = 0;
  uint8_t salt_[kMaxSalt] = {};
  bool ended_ = false;

 public:
  const uint32_t leaf_packets;
  Window window;  // inbound
  const uint64_t first_leaf;

 private:
  keys::EspTree tree_;
};

}  // namespace vsh::esp
