// MgmKey is Kuznyechik-MGM under one key, for whole messages: chunks and wrapped keys.
#pragma once

#include <cstdint>
#include <span>

#include "core/block_engine.hpp"
#include "sealed/suite.hpp"

namespace vsh::sealed {

class MgmKey {
 public:
  // key: 32 bytes, not kept. devices: null: each message runs on one thread; else on them, where they take it, and on
  // threads. Throws std::bad_alloc, and what devices throw.
  MgmKey(const Suite& suite, const uint8_t* key, const Devices* devices = nullptr);

  // Each message uses all threads.
  bool is_divided() const noexcept { return engine_.threads() != 1; }

  // out: len bytes, then the tag of kTagLen. nonce: 16 bytes, the first bit 0; associated data or message must not be
  // empty. Thread-safe if messages are whole. Both throw what a device throws.
  void seal(uint8_t* out, const uint8_t* in, size_t len, const uint8_t* nonce, std::span<const uint8_t> bound) const;
  // in: len bytes, then the tag. Returns false, with out erased or untouched, if it is not authentic.
  [[nodiscard]] bool open(uint8_t* out, const uint8_t* in, size_t len, const uint8_t* nonce,
                          std::span<const uint8_t> bound) const;

 private:
  BlockEngine engine_;
  const ProductKernel& products_;
};

}  // namespace vsh::sealed
