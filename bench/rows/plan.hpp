// Which groups of contenders are measured: the command line's options multiplied out.
#pragma once

#include <string>
#include <vector>

#include "bench/setup/options.hpp"
#include "bench/setup/task.hpp"

namespace vsh::bench {

// Contenders of one group do the same work on the same buffers, in turns.
struct Group {
  Work work;
  size_t bytes;
  unsigned threads;
  size_t alignment;
  bool in_place;
  std::vector<std::string> kernels;  // variants; "" for the library's own choice
  // The library's choice is measured beside the kernel that it names, as it may hand parts of a message to another one.
  bool choice_apart = false;
};

// Grouped by algorithm, in the order of own_works(). Skips what cannot be: a size that is no whole number of
// blocks, a feedback mode or a hash on several threads, digests in place.
std::vector<Group> make_plan(const Options& options, unsigned processors);

// Sizes of `--plot`, from one block to 64 MiB: powers of two, and up to 64 KiB half-way between them, where passes end
// unevenly.
std::vector<size_t> plot_sizes();

// Names that the options may use.
std::vector<std::string> algorithm_names();
std::vector<std::string> mode_names();
std::vector<std::string> kernel_names();

}  // namespace vsh::bench
