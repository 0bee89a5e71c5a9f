// Kernels and devices for the cryptography of a sealed file.
#pragma once

#include <string>

#include "core/registry.hpp"

namespace vsh::sealed {

struct Suite {
  const HashKernel* hash;  // constant-time: it sees keys and passphrases
  BlockChoice cipher;      // of Kuznyechik
  const ProductKernel* products;
  unsigned threads;  // 0: all
  std::string device = {};  // that does chunks: a word of gpu/schedule/make_accelerator.hpp; empty: the processor
};

}  // namespace vsh::sealed
