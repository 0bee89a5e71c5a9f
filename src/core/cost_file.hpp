// What the kernels cost on this machine: measured by `vershina tune` where it has been run, else as the rows say.
//
// The library never stops to measure. On its first choice of a kernel it reads one file, once:
//     $VERSHINA_TUNE                           a path from the root; or `off`: none
//     $XDG_CACHE_HOME/vershina/tune-CPU.txt    CPU: the model's letters and digits; ~/.cache where it is unset
// A program that runs with more rights than its caller (set-user-ID) reads no file.
#pragma once

#include <string>
#include <string_view>

#include "core/row_costs.hpp"

namespace vsh::tuner {

// What the file says; null where there is none to go by.
const Costs* measured() noexcept;

// Core cycles of one pass, at least 1; of one message's hash, of a block. costs: null for those of the row itself.
uint32_t pass_cost(const Costs* costs, const KernelInfo& row, bool custom_sbox) noexcept;

// For people: "tuned: FILE", "not tuned: there is no FILE", "not tuned: FILE: it was measured on another CPU model".
// quote: makes one printable word of a path, which may be anything.
std::string describe(std::string (*quote)(std::string_view path));

// 0, errno, or kOthersMayWrite where the file belongs neither to the user nor to root, or others may write it. Never
// waits: not for a pipe's other end, not for a terminal. Of a text of more than max_size bytes one more is read, so
// that it shows.
constexpr int kOthersMayWrite = -1;
int read_file(const std::string& path, std::string& text, size_t max_size);

// For people, of what read_file() returned.
const char* read_problem(int error);

// Where the file is looked for; empty where no directory is known or VERSHINA_TUNE is no path.
std::string cache_path();
// Where that is empty, why.
const char* why_no_path();

}  // namespace vsh::tuner
