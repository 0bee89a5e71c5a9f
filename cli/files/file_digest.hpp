// Hashes and MACs of files, for `hash`, `hash --check` and `mac`.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "cli/files/input_file.hpp"
#include "cli/files/read_ahead.hpp"
#include "cli/system/progress.hpp"
#include "cli/text/failure.hpp"

namespace vsh::cli {

struct FileDigest {
  std::vector<uint8_t> bytes;
  std::optional<Failure> failure;  // the file could not be read
};

// Feeds a file to update(std::span<const uint8_t>). Throws Failure. Returns early, without a result, once `cancelled`
// is set.
//
// Pieces fit in the second-level cache. A thread that reads ahead does not pay for small files. Reading through mmap
// would save a copy but raise SIGBUS if the file is truncated meanwhile.
template <class Update>
void feed_file(const std::string& name, Progress& progress, const std::atomic<bool>& cancelled, Update&& update) {
  constexpr size_t kNumPieces = 4, kPieceLen = size_t{256} << 10;
  InputFile input(name, "-");
  const auto use = [&](std::span<const uint8_t> piece) {
    if (cancelled) throw Failure(ExitCode::internal, "cancelled");
    update(piece);
    progress.add(piece.size());
  };
  if (!S_ISREG(input.status().st_mode) || input.remaining_at_open().value_or(0) > kNumPieces * kPieceLen) {
    ReadAhead reader(input, {kNumPieces, kPieceLen});
    for (auto piece = reader.next(); !piece.empty(); piece = reader.next()) use(piece);
    return;
  }
  thread_local std::vector<uint8_t> buffer(kPieceLen);
  while (const size_t len = input.read(buffer)) use(std::span<const uint8_t>(buffer.data(), len));
}

// Returns the sum of the sizes, or nullopt if one of them is unknown.
std::optional<uint64_t> total_size(const std::vector<std::string>& names);

// Returns the number of threads for these files; wanted: 0 means one for each processor. Standard input named twice is
// read in order.
unsigned threads_for_files(unsigned wanted, const std::vector<std::string>& names);

// Returns "data.bin", or "12 files", for the progress bar.
std::string label_for_files(const std::vector<std::string>& names);

// Yields the names one by one: the `next` of in_order().
class NextName {
 public:
  explicit NextName(const std::vector<std::string>& names) : names_(names) {}
  std::optional<std::string> operator()() {
    return position_ < names_.size() ? std::optional(names_[position_++]) : std::nullopt;
  }

 private:
  const std::vector<std::string>& names_;
  size_t position_ = 0;
};

}  // namespace vsh::cli
