#include "programs/common/system/machine.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <thread>

#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

std::optional<uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

std::string bytes_text(uint64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

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

unsigned default_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int num = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  return num > 0 ? static_cast<unsigned>(std::min(num, 256)) : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace vsh::cli
