#include "programs/tomo/commands/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "programs/common/system/machine.hpp"
#include "programs/common/system/try_thread.hpp"

namespace vsh::tomo {

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
    const size_t wanted = std::min<size_t>(threads > 0 ? threads : cli::default_threads(), num);
    for (size_t i = 1; i < wanted; ++i) others.push_back(cli::try_thread(run));
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace vsh::tomo
