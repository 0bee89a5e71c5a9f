// A progress bar on the terminal of standard error, for work longer than a second.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace vsh::cli {

class Progress {
 public:
  // wanted: false for --quiet and --no-progress. total: bytes, where known.
  Progress(bool wanted, std::string label, std::optional<uint64_t> total);
  ~Progress();  // removes the bar

  void add(uint64_t bytes) { done_ += bytes; }  // from any thread

 private:
  void run(std::stop_token stop);
  std::string line(double seconds) const;

  const std::string label_;
  const std::optional<uint64_t> total_;
  std::atomic<uint64_t> done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: uses the others
};

// Returns "812.4 MB": powers of 1000, like MB/s everywhere in this project.
std::string format_bytes(double bytes);

}  // namespace vsh::cli
