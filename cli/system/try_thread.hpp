// A thread, or none where the system has no more (a limit of tasks, no memory for its stack): then joinable() is false,
// and whoever asked does the work itself.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

namespace vsh::cli {

template <class F>
std::jthread try_thread(F&& body) {
  try {
    return std::jthread(std::forward<F>(body));
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace vsh::cli
