// The cost of a new key: creating and wiping a context, and the speed with a key per 4 KiB.
#pragma once

#include <string>
#include <vector>

#include "measure/sampler.hpp"
#include "programs/bench/setup/buffers.hpp"

namespace vsh::bench {

struct KeySetup {
  static constexpr size_t kBytesPerKey = 4096;

  std::string algorithm;
  std::string kernel;   // "default": the library's choice
  double cycles;        // core cycles of vsh_cipher_new and vsh_cipher_free
  double cpb_prepared;  // core c/B of ECB over kBytesPerKey with a prepared key
  double cpb_new_key;   // with a new key

  double loss() const { return cpb_new_key / cpb_prepared - 1; }  // 0.2: a fifth slower
};

// For the library's choice and for every kernel that runs here, interleaved; empty for a hash.
std::vector<KeySetup> measure_key_setup(const std::string& algorithm, const measure::Sampler& sampler,
                                        const Buffers& buffers);

}  // namespace vsh::bench
