#include "programs/tomo/commands/pipeline.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>

#include "programs/common/files/bounded_queue.hpp"
#include "programs/common/system/try_thread.hpp"

namespace vsh::tomo {
namespace {

struct Slices {
  size_t first = 0, num = 0;
  std::vector<float> values;
};

// Blocks go round: two of projections and two of slices are all the memory there is.
class Pipeline {
 public:
  Pipeline(PreparedScan& scan, const Division& division, size_t offset, const Compute& compute, VolumeWriter& writer,
           const std::function<void(size_t)>& done)
      : scan_(scan), division_(division), offset_(offset), compute_(compute), writer_(writer), done_(done) {}

  void run() {
    for (PreparedScan::Block& block : blocks_) (void)empty_blocks_.push(&block);
    for (Slices& slices : slices_) (void)empty_slices_.push(&slices);
    {
      const std::jthread reader = cli::try_thread([this] { guarded([this] { read_all(); }); });
      const std::jthread drain =
          reader.joinable() ? cli::try_thread([this] { guarded([this] { write_all(); }); }) : std::jthread();
      if (reader.joinable() && drain.joinable()) guarded([this] { compute_all(); });
      else if (reader.joinable()) guarded([this] { compute_and_write(); });
      else guarded([this] { do_all_here(); });
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void guarded(const std::function<void()>& work) {
    try {
      work();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      empty_blocks_.abort();
      full_blocks_.abort();
      empty_slices_.abort();
      full_slices_.abort();
    }
  }

  void read_all() {
    for (size_t first = division_.first; first < division_.end; first += division_.block) {
      const auto block = empty_blocks_.pop();
      if (!block) return;
      scan_.read(**block, first, std::min(division_.block, division_.end - first));
      if (!full_blocks_.push(*block)) return;
    }
    full_blocks_.finish();
  }
  void compute_block(PreparedScan::Block& block, Slices& slices) {
    scan_.prepare(block);
    slices.first = block.first - offset_;
    slices.num = block.num;
    slices.values.resize(block.num * division_.size * division_.size);
    compute_(slices.values.data(), block);
  }
  void compute_all() {
    while (const auto block = full_blocks_.pop()) {
      const auto slices = empty_slices_.pop();
      if (!slices) return;
      compute_block(**block, **slices);
      if (!empty_blocks_.push(*block) || !full_slices_.push(*slices)) return;
    }
    full_slices_.finish();
  }
  void write(const Slices& slices) {
    writer_.write(slices.values.data(), slices.first, slices.num);
    done_(slices.num);
  }
  void write_all() {
    while (const auto slices = full_slices_.pop()) {
      write(**slices);
      if (!empty_slices_.push(*slices)) return;
    }
  }
  void compute_and_write() {
    while (const auto block = full_blocks_.pop()) {
      compute_block(**block, slices_[0]);
      if (!empty_blocks_.push(*block)) return;
      write(slices_[0]);
    }
  }
  void do_all_here() {
    for (size_t first = division_.first; first < division_.end; first += division_.block) {
      scan_.read(blocks_[0], first, std::min(division_.block, division_.end - first));
      compute_block(blocks_[0], slices_[0]);
      write(slices_[0]);
    }
  }

  PreparedScan& scan_;
  const Division division_;
  const size_t offset_;
  const Compute& compute_;
  VolumeWriter& writer_;
  const std::function<void(size_t)>& done_;
  std::array<PreparedScan::Block, 2> blocks_;
  std::array<Slices, 2> slices_;
  cli::BoundedQueue<PreparedScan::Block*> empty_blocks_{2}, full_blocks_{2};
  cli::BoundedQueue<Slices*> empty_slices_{2}, full_slices_{2};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void run_blocks(PreparedScan& scan, const Division& division, size_t offset, const Compute& compute,
                VolumeWriter& writer, const std::function<void(size_t)>& done) {
  Pipeline(scan, division, offset, compute, writer, done).run();
}

}  // namespace vsh::tomo
