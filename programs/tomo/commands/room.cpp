#include "programs/tomo/commands/room.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>

#include "programs/common/files/output_file.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/folder.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

std::optional<uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

std::string bytes_text(uint64_t bytes) { return cli::format_bytes(static_cast<double>(bytes)); }

}  // namespace

uint64_t free_memory() {
  uint64_t least = UINT64_MAX;
  std::ifstream info("/proc/meminfo");
  for (std::string word; info >> word;) {
    uint64_t kib = 0;
    if (word == "MemAvailable:" && info >> kib) least = kib * 1024;
  }
  const auto most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (most && used) least = std::min(least, *most > *used ? *most - *used : 0);
  return least;
}

void check_memory(uint64_t bytes, const std::string& what, const std::string& advice) {
  const uint64_t free = free_memory();
  if (bytes <= free) return;
  throw Failure(ExitCode::internal,
                tr("{1}: takes {2} of memory, and {3} are free", what, bytes_text(bytes), bytes_text(free)),
                advice.empty() ? tr("use a machine with more, or a smaller size") : advice);
}

void limit_memory(uint64_t bytes, uint64_t reserve) {
  const auto pages = number_in("/proc/self/statm");  // of address space
  if (!pages || bytes == UINT64_MAX) return;
  const uint64_t used = *pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, used + bytes + reserve);
  (void)::setrlimit(RLIMIT_AS, &limit);
}

void check_disk(const std::string& path, uint64_t bytes) {
  struct stat status {};
  if (cli::is_standard_output(path)) return;
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return;
  const std::string parent = split_path(path).first, name = cli::quote_name(path);
  struct statvfs disk {};
  if (::statvfs(parent.c_str(), &disk) != 0 || ::access(parent.c_str(), W_OK) != 0)
    throw cli::output_failure(name, errno);
  const uint64_t room = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (bytes <= room) return;
  throw Failure(ExitCode::output,
                tr("{1}: {2} are needed, and the disk has {3}", name, bytes_text(bytes), bytes_text(room)),
                tr("make room, choose another disk, or a smaller part"), ENOSPC);
}

}  // namespace vsh::tomo
