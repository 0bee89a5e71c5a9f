// Starts a thread. If the system cannot (a limit of tasks, no memory for its stack), joinable() is false, and the
// caller does the work.
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
