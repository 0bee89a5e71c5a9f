// The rate of memory: libc's memcpy over the buffers of a measurement, by as many threads. An upper bound for ciphers
// that read one buffer and write another, if they fit no cache.
#pragma once

#include <cstring>

#include "core/executor.hpp"
#include "programs/bench/setup/task.hpp"

namespace vsh::bench {

// Smaller buffers fit in caches, whose rate no cipher approaches.
inline constexpr size_t kCopyMatters = size_t{8} << 20;

class Copy final : public Task {
 public:
  explicit Copy(unsigned threads) : threads_(threads) {}
  bool run(uint8_t* out, const uint8_t* in, size_t in_len) override {
    for_ranges(in_len, kBytesPerThread, threads_,
               [&](size_t begin, size_t end) { std::memcpy(out + begin, in + begin, end - begin); });
    return true;
  }

 private:
  unsigned threads_;
};

}  // namespace vsh::bench
