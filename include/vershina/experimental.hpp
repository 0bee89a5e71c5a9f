// Algorithms that were checked against no official text or vector: experimental.h. Not part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_EXPERIMENTAL_HPP
#define VERSHINA_EXPERIMENTAL_HPP

#include <vershina/experimental.h>
#include <vershina/vershina.hpp>

namespace vershina {

// DEC over Kuznyechik, experimental: vsh_dec_experimental. options must have VSH_ALLOW_EXPERIMENTAL.
class DecExperimental {
 public:
  // A partition. key: 32 bytes.
  DecExperimental(View key, uint64_t partition, uint64_t partition_counter, size_t sector_len, const Options& options)
      : sector_len_(sector_len) {
    vsh_dec_experimental* c = nullptr;
    check(vsh_dec_experimental_new(&c, key.data(), key.size(), partition, partition_counter, sector_len, &options));
    context_.reset(c);
  }

  // Whole sectors, each with its counter; `out` has the size of `in`.
  void crypt(Room out, View in, uint64_t first_sector, std::span<const uint64_t> counters) {
    if (out.size() != in.size()) throw Error(VSH_E_CAPACITY);
    if (in.size() % sector_len_ || in.size() / sector_len_ != counters.size()) throw Error(VSH_E_DATA_LENGTH);
    check(vsh_dec_experimental_crypt(context_.get(), out.data(), in.data(), counters.size(), first_sector,
                                     counters.data()));
  }

 private:
  struct Free {
    void operator()(vsh_dec_experimental* c) const noexcept { vsh_dec_experimental_free(c); }
  };
  size_t sector_len_;
  std::unique_ptr<vsh_dec_experimental, Free> context_;
};

}  // namespace vershina

#endif
