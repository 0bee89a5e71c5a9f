// Groups of contenders to measure: the product of the command line's options.
#pragma once

#include <string>
#include <vector>

#include "programs/bench/setup/options.hpp"
#include "programs/bench/setup/task.hpp"

namespace vsh::bench {

// Contenders of one group do the same work on the same buffers, interleaved.
struct Group {
  Work work;
  size_t bytes;
  unsigned threads;
  size_t alignment;
  bool in_place;
  std::vector<std::string> kernels;  // variants; "" for the library's own choice
  // Measures the library's choice in addition to the kernel that it names, as it may use another one for parts of a
  // message.
  bool choice_apart = false;
};

// Grouped by algorithm, in the order of own_works(). Skips impossible combinations: a partial block, a feedback mode or
// a hash on several threads, digests in place.
std::vector<Group> make_plan(const Options& options, unsigned processors);

// Sizes of `--plot`, from one block to 64 MiB: powers of two, and up to 64 KiB the midpoints between them, where passes
// are partly filled.
std::vector<size_t> plot_sizes();

// Valid names for the options.
std::vector<std::string> algorithm_names();
std::vector<std::string> mode_names();
std::vector<std::string> kernel_names();

}  // namespace vsh::bench
