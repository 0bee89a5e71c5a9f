// Our own contenders, through the public C ABI: what a user of the library gets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "work.hpp"

namespace vsh::bench {

// Every cipher with every mode, every MAC and hash of the library, in its own order, grouped by algorithm.
// Where decryption is the same computation (CTR, CNT, OFB) it is not repeated.
std::vector<Work> own_works();

struct Kernel {
  std::string variant;
  unsigned lanes = 1;
  bool constant_time = true;
  bool runnable = true;
};

// All rows of this build that serve the algorithm.
std::vector<Kernel> own_kernels(const std::string& algorithm);

// The variant that the library takes by itself for the work.
std::string default_kernel(const Work& work);

// "cryptopro-a"; empty for the default.
std::string sbox_name(vsh_sbox sbox);

// variant: empty for the library's choice. A table kernel may be named. Null where the library refuses.
std::unique_ptr<Task> own_task(const Work& work, const std::string& variant, vsh_sbox sbox, unsigned threads);

}  // namespace vsh::bench
