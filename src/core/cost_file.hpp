// Files of measured costs: one format, one reader, one rule for what is trusted. `vershina tune` writes two of them,
// the costs of the kernels (core/row_costs.hpp) and the crossovers of the devices (gpu/schedule/crossovers.hpp), and
// `vershina tomo tune` a third one, of tomography's kernels (tomography/slices/costs.hpp):
//
//     vershina-tune 3
//     cpu AMD EPYC-Milan Processor          that it was measured on
//     features ssse3 sse4.1 avx2
//     build 0f3a6b7c8d9e1122                version, compiler and rows
//     ...                                   words and numbers, a single space between them
//
// Costs, and not an order or a choice: one rule then serves the default and the tuned choice, and the worst that a
// wrong or malicious file can do is to make the library slow.
//
// Only batches stop to measure, where no file tells (streams/costs.hpp). A file is read when it is first needed, once:
//     $VERSHINA_TUNE                           a path from the root; or `off`: none
//     $XDG_CACHE_HOME/vershina/tune-CPU.txt    CPU: the model's letters and digits; ~/.cache if it is unset
// and with .devices behind it for devices, .tomography for tomography. A program that runs with more rights than its
// caller (set-user-ID) reads none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/kernel_info.hpp"

namespace vsh::tuner {

// Measurements hold for this processor, as its operating system presents it, and this build.
struct Identity {
  std::string cpu, features, build;
};
// rows: of the build.
Identity identity_of(std::span<const KernelInfo* const> rows);

// FNV-1a, 64 bits, over texts with their ends: tells builds and devices apart, protects nothing.
class Fingerprint {
 public:
  void add(std::string_view text) noexcept;
  std::string hex() const;  // 16 digits

 private:
  uint64_t value_ = 0xcbf29ce484222325u;
};

// ---- Text -----------------------------------------------------------------------------------------------------------

// Reads a line word by word.
class Line {
 public:
  explicit Line(std::string_view text) noexcept : rest_(text) {}
  std::string_view word() noexcept;  // empty at the end, and if a word is missing
  // Returns a word of digits, without sign and leading zeros, that is at most `max` (itself at most 10^18 - 1).
  std::optional<uint64_t> number(uint64_t max) noexcept;
  bool at_end() const noexcept { return rest_.empty(); }
  bool next_is_digit() const noexcept { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }

 private:
  std::string_view rest_;
};
std::optional<uint64_t> read_number(std::string_view word, uint64_t max) noexcept;

std::string heading(const Identity& identity);

// Gives each line below the heading to `read`, which returns whether it is valid. Returns an empty text for a file made
// here of such lines; otherwise the reason, in a few words that quote nothing of the file.
std::string parse(std::string_view text, const Identity& here, const std::function<bool(Line)>& read);

// ---- File -----------------------------------------------------------------------------------------------------------

// Returns where the file is looked for, with `suffix` after its name; empty if no directory is known or VERSHINA_TUNE
// is not a path.
std::string cost_path(std::string_view suffix = {});
constexpr const char *kDevicesSuffix = ".devices", *kTomographySuffix = ".tomography";

struct Source {
  std::string path;                       // empty: none is looked for
  std::string problem = "out of memory";  // empty: its contents are in force
  bool missing = false;                   // there is no file
};

// Reads the file if it belongs to the user or to root and others may not write it; `parse` returns what is wrong with
// its text, of at most max_size bytes. Never waits for the other end of a pipe.
Source read_costs(std::string_view suffix, size_t max_size,
                  const std::function<std::string(std::string_view text)>& parse) noexcept;

}  // namespace vsh::tuner
