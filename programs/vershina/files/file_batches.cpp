#include "programs/vershina/files/file_batches.hpp"

#include "programs/common/text/translate.hpp"

#include <sys/stat.h>

namespace vsh::cli {

bool wants_batches(const std::string& device, size_t num_files) {
  if (device.empty() || device == "cpu") return false;
  if (num_files >= kLeastFilesForDevice) return true;
  if (device == "auto" || device == "all") return false;
  throw Failure(ExitCode::device,
                tr("--device {1}: one message is a chain of blocks, in which each waits for the one before", device),
                tr("a device is for {1} files and more of up to 1 MiB", kLeastFilesForDevice));
}

bool read_small_file(SmallFile& small, Progress& progress) {
  const auto is_small = [](const struct stat& status) {
    return S_ISREG(status.st_mode) && status.st_size <= static_cast<off_t>(kMaxSmallFile);
  };
  const FileToRead& file = small.file;
  struct stat status;  // of a name: opening it could wait for the other end of a FIFO
  if (!file.failure && !file.directory &&
      (file.name == "-" || ::stat(file.name.c_str(), &status) != 0 || !is_small(status)))
    return false;
  try {
    InputFile input = file.open();
    if (!is_small(input.status())) return false;
    small.bytes.resize(kMaxSmallFile + 1);
    size_t len = 0;
    while (len < small.bytes.size()) {
      const size_t got = input.read(std::span(small.bytes).subspan(len));
      if (got == 0) break;
      len += got;
    }
    if (len > kMaxSmallFile) return false;  // it grew
    small.bytes.resize(len);
    small.bytes.shrink_to_fit();
    small.digest.size = len;
    progress.add(len);
  } catch (const Failure& failure) {
    small.digest.failure = failure;
  }
  return true;
}

}  // namespace vsh::cli
