// Divides a request among workers of unequal speed: each takes piece after piece, as large as its measured speed makes
// right, and smaller ones towards the end, so that all end together. This is only arithmetic: no threads, no clock
// (gpu/schedule/device_scheduler.hpp has both).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace vsh::gpu {

class WorkSplitter {
 public:
  // Units are those of the caller: blocks.
  struct Worker {
    size_t min, max;  // units of a piece
    double rate = 0;  // units a second; 0: nothing is known yet
  };
  struct Piece {
    size_t begin, end;
    size_t size() const noexcept { return end - begin; }
  };

  // All pieces begin at a multiple of `grain` units.
  WorkSplitter(size_t num_units, size_t grain, std::vector<Worker> workers);

  // Returns the worker's next piece. Nothing if all that is left is in progress elsewhere, or will be done by others
  // before this one could: it may be asked again when a piece was given back.
  std::optional<Piece> take(size_t worker);
  void done(size_t worker, Piece piece, double seconds);
  // The piece was not done. The worker takes no more.
  void give_back(size_t worker, Piece piece);
  void deactivate(size_t worker) { workers_[worker].is_active = false; }
  void activate(size_t worker) { workers_[worker].is_active = true; }

  // Returns whether every unit is done.
  bool is_finished() const noexcept { return left_ == 0; }
  double rate(size_t worker) const noexcept { return workers_[worker].rate; }

 private:
  struct State : Worker {
    bool is_active = true;
  };
  double rate_of_all() const noexcept;
  double fastest() const noexcept;

  size_t num_, grain_;
  size_t next_ = 0;  // what begins here was never taken
  size_t left_;      // units that are not done
  std::vector<State> workers_;
  std::vector<Piece> returned_;
};

}  // namespace vsh::gpu
