// RoundKeysView refers to the canonical round keys that kernels prepare from, and knows whose they are.
#pragma once

#include <stdexcept>
#include <string_view>

#include "core/kernel.hpp"

namespace vsh {

class RoundKeysView {
 public:
  // RoundKeys: what a family's kernels read, which names the family: kuznyechik::RoundKeys, magma::RoundKeys.
  template <class RoundKeys>
  requires requires { std::string_view(RoundKeys::kFamily); }
  RoundKeysView(const RoundKeys& round_keys) noexcept : round_keys_(&round_keys), family_(RoundKeys::kFamily) {}

  // Returns what the row's functions take. Throws std::logic_error for a row of another family, which would read it as
  // something else.
  const void* for_row(const BlockKernel& row) const {
    if (family_ != row.info.family) throw std::logic_error("round keys of another family");
    return round_keys_;
  }

 private:
  const void* round_keys_;
  std::string_view family_;
};

}  // namespace vsh
