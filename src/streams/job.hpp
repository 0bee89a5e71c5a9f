// Job is a message of a batch and its operation. The caller has validated everything.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/operation.hpp"
#include "core/registry.hpp"
#include "keys/cipher_key.hpp"

namespace vsh::streams {

// Fits a cache line: batches are walked more than once.
struct Job {
  Operation operation;  // those of one operation run in lockstep together
  bool done = false;    // set by the run: false if memory or threads were exhausted
  uint32_t slot;        // of the key in the key set, or kNoSlot
  const uint8_t* key;   // 32 bytes
  const uint8_t* iv;
  const uint8_t* in;
  uint8_t* out;  // len bytes, out == in allowed; out_len bytes for a MAC
  size_t len;
  size_t iv_len;
  size_t out_len;
};

// A cipher without its keys.
struct Cipher {
  keys::CipherParameters parameters;
  BlockChoice kernels;
  size_t segment;  // s of CTR, OFB and CFB in bytes
  unsigned threads;

  Algorithm algorithm() const noexcept { return parameters.algorithm(); }
  size_t block_size() const noexcept { return vsh::block_size(algorithm()); }
};

}  // namespace vsh::streams
