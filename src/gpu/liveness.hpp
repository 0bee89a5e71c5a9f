// Whether a device may be given work. It may not once it has failed, nor in a child that the process forked: drivers
// keep threads, which a child does not have, and calls there would wait for ever.
#pragma once

#include <atomic>
#include <string>

namespace vsh::gpu {

class Liveness {
 public:
  explicit Liveness(const std::string& id);

  void set_lost() noexcept { lost_ = true; }
  bool lost() const noexcept { return lost_; }
  bool usable() const noexcept;
  void require() const;  // throws Error (lost)

 private:
  const std::string id_;
  const unsigned generation_;  // forks before
  std::atomic<bool> lost_ = false;
};

}  // namespace vsh::gpu
