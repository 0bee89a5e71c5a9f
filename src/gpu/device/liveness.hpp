// Tells whether a device may be given work: not once it has failed, nor in a child that the process forked. Drivers
// keep threads, which a child does not have, and calls there would wait for ever.
#pragma once

#include <atomic>
#include <string>

namespace vsh::gpu {

// The process that made it, told from children that it forks.
class Process {
 public:
  Process() noexcept;
  bool is_this() const noexcept;

 private:
  unsigned generation_;  // forks before
};

class Liveness {
 public:
  explicit Liveness(const std::string& id) : id_(id) {}

  void set_lost() noexcept { lost_ = true; }
  bool lost() const noexcept { return lost_; }
  // In a forked child even page-locked memory may not be touched: some drivers leave it out of what a child gets
  // (madvise(2), MADV_DONTFORK).
  bool forked() const noexcept { return !process_.is_this(); }
  bool usable() const noexcept { return !lost_ && !forked(); }
  void require() const;  // throws Error (lost)

 private:
  const std::string id_;
  const Process process_;
  std::atomic<bool> lost_ = false;
};

}  // namespace vsh::gpu
