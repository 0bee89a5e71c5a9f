// Many small files at a time, for devices: `hash` and `mac` read them, the library processes them in one call.
#pragma once

#include <string>
#include <vector>

#include "programs/vershina/files/file_digest.hpp"

namespace vsh::cli {

// One message is a chain, which a device cannot speed up; from this many files on a device is used.
inline constexpr size_t kLeastFilesForDevice = 64;
// Bytes. Longer files are processed on the CPU, one after the other.
inline constexpr size_t kMaxSmallFile = size_t{1} << 20;

struct SmallFile {
  FileToRead file;
  std::vector<uint8_t> bytes;
  FileDigest digest;  // output; has the failure if the file could not be read
};

// Returns whether to use `device` (--device) for batches of this many files. Throws Failure for a named device and too
// few.
bool wants_batches(const std::string& device, size_t num_files);

// Reads the whole file; returns false if it is not a small regular file. Never throws: a failure is stored in the
// digest.
bool read_small_file(SmallFile& small, Progress& progress);

// Processes the files of next() -> std::optional<FileToRead>: together(files) for runs of small files, up to a batch,
// alone(file) for others; take(file, digest) for each, in order.
template <class Next, class Together, class Alone, class Take>
void in_batches(Next&& next, Progress& progress, Together&& together, Alone&& alone, Take&& take) {
  constexpr size_t kMaxBytes = size_t{64} << 20, kMaxFiles = 1 << 16;
  std::vector<SmallFile> batch;
  size_t bytes = 0;
  const auto flush = [&] {
    if (!batch.empty()) together(batch);
    for (const SmallFile& small : batch) take(small.file, small.digest);
    batch.clear();
    bytes = 0;
  };
  while (std::optional<FileToRead> file = next()) {
    SmallFile small{std::move(*file), {}, {}};
    if (read_small_file(small, progress)) {
      bytes += small.bytes.size();
      batch.push_back(std::move(small));
      if (bytes >= kMaxBytes || batch.size() == kMaxFiles) flush();
    } else {
      flush();
      take(small.file, alone(small.file));
    }
  }
  flush();
}

}  // namespace vsh::cli
