#include "gpu/schedule/work_splitter.hpp"

#include <algorithm>

namespace vsh::gpu {
namespace {

// The part of its share of the remaining work that a worker takes. With less than all, the pieces shrink towards the
// end, and a wrong guess of a rate costs the time of a small piece.
constexpr double kPartOfShare = 0.5;
// Weight of the last piece in a rate: load and clocks change within seconds, and pieces are many.
constexpr double kWeightOfLast = 0.5;

}  // namespace

WorkSplitter::WorkSplitter(size_t num_units, size_t grain, std::vector<Worker> workers)
    : num_(num_units), grain_(grain), left_(num_units) {
  for (const Worker& worker : workers) workers_.push_back({worker});
}

double WorkSplitter::rate_of_all() const noexcept {
  double sum = 0;
  for (const State& worker : workers_) sum += worker.is_active ? worker.rate : 0;
  return sum;
}

double WorkSplitter::fastest() const noexcept {
  double rate = 0;
  for (const State& worker : workers_) rate = worker.is_active ? std::max(rate, worker.rate) : rate;
  return rate;
}

std::optional<WorkSplitter::Piece> WorkSplitter::take(size_t worker) {
  State& w = workers_[worker];
  if (!w.is_active) return {};
  if (!returned_.empty()) {
    const Piece piece = returned_.back();
    returned_.pop_back();
    return piece;
  }
  const size_t rest = num_ - next_;
  if (rest == 0) return {};
  size_t size = w.min;
  if (w.rate > 0) {
    const double all = rate_of_all();
    // Slow ones leave the end to the others, if those finish before a smallest piece would. (The fastest never does, so
    // one worker always takes the rest.)
    const double alone = static_cast<double>(std::min(rest, w.min)) / w.rate;
    if (w.rate < fastest() / 2 && alone > static_cast<double>(rest) / (all - w.rate)) return {};
    const double share = static_cast<double>(rest) * (w.rate / all) * kPartOfShare;
    size = std::clamp(static_cast<size_t>(share), w.min, w.max);
  }
  size = std::max(size / grain_, size_t{1}) * grain_;
  const Piece piece{next_, next_ + std::min(size, rest)};
  next_ = piece.end;
  return piece;
}

void WorkSplitter::done(size_t worker, Piece piece, double seconds) {
  left_ -= piece.size();
  if (!(seconds > 0)) return;
  const double now = static_cast<double>(piece.size()) / seconds;
  double& rate = workers_[worker].rate;
  rate = rate > 0 ? rate + kWeightOfLast * (now - rate) : now;
}

void WorkSplitter::give_back(size_t worker, Piece piece) {
  deactivate(worker);
  returned_.push_back(piece);
}

}  // namespace vsh::gpu
