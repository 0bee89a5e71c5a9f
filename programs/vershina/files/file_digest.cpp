#include "programs/vershina/files/file_digest.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "programs/common/text/text.hpp"

namespace vsh::cli {

std::optional<uint64_t> total_size(const std::vector<std::string>& names) {
  uint64_t total = 0;
  for (const std::string& name : names) {
    struct stat status;
    if (name == "-" || ::stat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    total += static_cast<uint64_t>(status.st_size);
  }
  return total;
}

unsigned threads_for_files(unsigned wanted, const std::vector<std::string>& names, size_t num_files) {
  if (std::count(names.begin(), names.end(), "-") > 1) return 1;
  if (wanted == 0) wanted = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<size_t>(wanted, num_files));
}

std::string label_for_files(const std::vector<std::string>& names) {
  return names.size() == 1 ? quote_name(names[0]) : tr_count(names.size(), "{1} file", "{1} files");
}

}  // namespace vsh::cli
