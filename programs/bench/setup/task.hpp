// The unit of measurement: a work (algorithm, mode, operation), and a task, an implementation prepared for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/operation.hpp"
#include "core/registry.hpp"
#include "vershina/vershina.h"

namespace vsh::bench {

struct Work {
  std::string algorithm;  // "kuznyechik", "streebog256"; "aes256" as a yardstick among the peers
  std::string mode;       // "ecb", "ctr", ..., "mgm", "mac", "imit", "hmac", "hash"
  std::string operation;  // "encrypt", "decrypt", "mac", "hash"

  bool operator==(const Work&) const = default;
  bool transforms() const { return operation == "encrypt" || operation == "decrypt"; }
  bool encrypts() const { return operation != "decrypt"; }
  // Returns the library's word for it, if it is one operation.
  std::optional<Operation> in_library() const {
    for (size_t i = 0; i < kNumOperations; ++i) {
      const auto o = static_cast<Operation>(i);
      if (operation_name(o) == mode || operation_name(o) == mode + "_" + operation) return o;
    }
    return {};
  }
  // Returns whether each block needs the one before: one message cannot use many lanes or threads.
  bool sequential() const {
    const std::optional<Operation> o = in_library();
    return o ? chained(*o) : mode == "omac-acpkm" || mode == "hmac";
  }
};

// The longest tag or digest.
inline constexpr size_t kMaxDigest = 64;

// Key and IV of every measurement; no time depends on them.
inline constexpr uint8_t kKey[32] = {0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11, 0x22,
                                     0x33, 0x44, 0x55, 0x66, 0x77, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54,
                                     0x32, 0x10, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
inline constexpr uint8_t kIv[16] = {0x12, 0x34, 0x56, 0x78, 0x90, 0xab, 0xce, 0xf0,
                                    0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf0, 0x01, 0x12};

// One prepared computation: the key schedule is ready, a run processes one whole message (sets the IV, finishes).
class Task {
 public:
  virtual ~Task() = default;
  // out: in_len bytes, or kMaxDigest for a MAC or hash; out == in allowed. False if the implementation
  // failed.
  virtual bool run(uint8_t* out, const uint8_t* in, size_t in_len) = 0;

  // GOST 28147-89: the S-box set, if the implementation lacks the default one.
  vsh_sbox sbox = VSH_SBOX_DEFAULT;
};

// The IV of GOST R 34.13-2015 CTR is half a block; libraries with a whole-block counter get zeros after it.
inline void counter_iv(uint8_t iv[16], size_t block_len) {
  for (size_t i = 0; i < 16; ++i) iv[i] = i < block_len / 2 ? kIv[i] : 0;
}

inline size_t block_len(const Work& work) {
  const AlgorithmInfo* const info = info_by_name(work.algorithm);
  return info && info->block_size ? info->block_size : 16;  // a yardstick among the peers: AES
}

}  // namespace vsh::bench
