// Hashes and MACs of files, for `hash`, `hash --check` and `mac`.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/vershina/files/file_to_read.hpp"
#include "programs/vershina/files/read_ahead.hpp"

namespace vsh::cli {

struct FileDigest {
  std::vector<uint8_t> bytes;
  uint64_t size = 0;               // bytes that were read
  std::optional<Failure> failure;  // the file could not be read
};

// Feeds a file to update(std::span<const uint8_t>); returns its size. Throws Failure, also once `cancelled` is set.
//
// Pieces fit in the second-level cache. A thread that reads ahead does not pay for small files. Reading through mmap
// would save a copy but raise SIGBUS if the file is truncated.
template <class Update>
uint64_t feed_file(const FileToRead& file, Progress& progress, const std::atomic<bool>& cancelled, Update&& update) {
  constexpr size_t kNumPieces = 4, kPieceLen = size_t{256} << 10;
  InputFile input = file.open();
  uint64_t size = 0;
  const auto use = [&](std::span<const uint8_t> piece) {
    if (cancelled) throw Failure(ExitCode::internal, "cancelled");
    update(piece);
    size += piece.size();
    progress.add(piece.size());
  };
  if (!S_ISREG(input.status().st_mode) || input.remaining_at_open().value_or(0) > kNumPieces * kPieceLen) {
    ReadAhead reader(input, {kNumPieces, kPieceLen});
    for (auto piece = reader.next(); !piece.empty(); piece = reader.next()) use(piece);
    return size;
  }
  thread_local std::vector<uint8_t> buffer(kPieceLen);
  while (const size_t len = input.read(buffer)) use(std::span<const uint8_t>(buffer.data(), len));
  return size;
}

// Returns the sum of the sizes, or nullopt if one of them is unknown.
std::optional<uint64_t> total_size(const std::vector<std::string>& names);

// Returns the number of threads for num_files files (by default, as many as are named); wanted: 0 means one for each
// processor. Standard input named twice is read in order.
unsigned threads_for_files(unsigned wanted, const std::vector<std::string>& names, size_t num_files);
inline unsigned threads_for_files(unsigned wanted, const std::vector<std::string>& names) {
  return threads_for_files(wanted, names, names.size());
}

// Returns "data.bin", or "12 files", for the progress bar.
std::string label_for_files(const std::vector<std::string>& names);

}  // namespace vsh::cli
