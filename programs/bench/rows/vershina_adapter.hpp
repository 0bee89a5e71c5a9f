// The library's contenders, through the public C ABI, as used by its callers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "measure/machine.hpp"
#include "programs/bench/setup/task.hpp"

namespace vsh::bench {

// Returns every cipher with every mode, every MAC and hash of the library, in its order, grouped by algorithm.
// Decryption is omitted where it is the same computation (CTR, CNT, OFB).
std::vector<Work> own_works();

struct Kernel {
  std::string variant;
  unsigned lanes = 1;
  bool constant_time = true;
  bool runnable = true;
};

// Returns all rows of this build for the algorithm.
std::vector<Kernel> own_kernels(const std::string& algorithm);

// Returns whether the library can choose a kernel for the work; an error if VERSHINA_KERNEL names one that is unknown,
// cannot run here, or is refused.
vsh_status default_status(const Work& work);

// Returns the variant that the library chooses for a message of this many bytes; the many-block kernel if it takes only
// a part. Empty if default_status is an error.
std::string default_kernel(const Work& work, size_t bytes);

// Returns VERSHINA_KERNEL if it is set and names kernels of this build; otherwise empty.
std::string kernels_of_environment();

// Describes the machine, and this library with the choice in force.
measure::Machine machine_of_run(unsigned processors, int pinned_to);

// "cryptopro-a"; empty for the default.
std::string sbox_name(vsh_sbox sbox);

// variant: empty for the library's choice. A table kernel may be named. device: vsh_options.device. Returns null if the
// library refuses.
std::unique_ptr<Task> own_task(const Work& work, const std::string& variant, vsh_sbox sbox, unsigned threads,
                               const char* device = nullptr);

}  // namespace vsh::bench
