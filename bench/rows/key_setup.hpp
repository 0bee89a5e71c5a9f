// What a new key costs: the making and wiping of a context, and what is left of the speed with a key per 4 KiB.
#pragma once

#include <string>
#include <vector>

#include "bench/setup/buffers.hpp"
#include "measure/sampler.hpp"

namespace vsh::bench {

struct KeySetup {
  static constexpr size_t kBytesPerKey = 4096;

  std::string algorithm;
  std::string kernel;   // "default": the library's choice
  double cycles;        // core cycles of vsh_cipher_new and vsh_cipher_free
  double cpb_prepared;  // core c/B of ECB over kBytesPerKey with a key that is there
  double cpb_new_key;   // with a new one for them

  double loss() const { return cpb_new_key / cpb_prepared - 1; }  // 0.2: a fifth slower
};

// For the library's choice and for every kernel that runs here, in turns; empty for a hash.
std::vector<KeySetup> measure_key_setup(const std::string& algorithm, const measure::Sampler& sampler,
                                        const Buffers& buffers);

}  // namespace vsh::bench
