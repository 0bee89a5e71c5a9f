// Our own contenders, through the public C ABI: what a user of the library gets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/setup/task.hpp"
#include "measure/machine.hpp"

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

// Whether the library has a kernel of its own choice for the work: no, where VERSHINA_KERNEL asks for one that it
// does not have, cannot run here, or refuses.
vsh_status default_status(const Work& work);

// The variant that the library takes by itself for a message of so many bytes. Where a message goes partly to the
// many-block kernel, it is that one. Empty where default_status is an error.
std::string default_kernel(const Work& work, size_t bytes);

// VERSHINA_KERNEL where it is set and names kernels of this build; otherwise empty.
std::string kernels_of_environment();

// The machine, and this library with the choice in force.
measure::Machine machine_of_run(unsigned processors, int pinned_to);

// "cryptopro-a"; empty for the default.
std::string sbox_name(vsh_sbox sbox);

// variant: empty for the library's choice. A table kernel may be named. device: vsh_options.device. Null where the
// library refuses.
std::unique_ptr<Task> own_task(const Work& work, const std::string& variant, vsh_sbox sbox, unsigned threads,
                               const char* device = nullptr);

}  // namespace vsh::bench
