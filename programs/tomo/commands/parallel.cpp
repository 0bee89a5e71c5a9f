#include "programs/tomo/commands/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "programs/common/system/try_thread.hpp"

namespace vsh::tomo {

unsigned default_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int num = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  return num > 0 ? static_cast<unsigned>(std::min(num, 256)) : std::max(1U, std::thread::hardware_concurrency());
}

void for_each_index(size_t num, unsigned threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    for (size_t i = next++; i < num; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
        next = num;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    const size_t wanted = std::min<size_t>(threads > 0 ? threads : default_threads(), num);
    for (size_t i = 1; i < wanted; ++i) others.push_back(cli::try_thread(run));
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace vsh::tomo
