// Runs batches of jobs: each is checked separately, and the valid ones run together.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "api/arguments/context.hpp"
#include "core/executor.hpp"

namespace vsh::api {

// The items of a batch, and the numbers of their jobs; of few jobs without an allocation.
template <class Item>
class Items {
 public:
  // Throws std::bad_alloc.
  void reserve(size_t num_jobs) {
    if (num_jobs <= kFew) return;
    many_ = std::make_unique_for_overwrite<Item[]>(num_jobs);
    jobs_of_many_ = std::make_unique_for_overwrite<uint32_t[]>(num_jobs);
    items_ = many_.get(), jobs_ = jobs_of_many_.get();
  }
  // The item that job i is read into.
  Item& of(size_t i) noexcept { return items_[i]; }
  // Keeps the items of so many jobs that is_good(i) says of.
  template <class IsGood>
  void keep(size_t num_jobs, IsGood is_good) noexcept {
    for (size_t i = 0; i < num_jobs; ++i) {
      if (!is_good(i)) continue;
      if (i != size_) items_[size_] = items_[i];
      jobs_[size_++] = static_cast<uint32_t>(i);
    }
  }

  std::span<Item> items() noexcept { return {items_, size_}; }
  std::span<const uint32_t> jobs() const noexcept { return {jobs_, size_}; }

 private:
  static constexpr size_t kFew = 4;

  size_t size_ = 0;
  Item few_[kFew];
  uint32_t jobs_of_few_[kFew];
  std::unique_ptr<Item[]> many_;
  std::unique_ptr<uint32_t[]> jobs_of_many_;
  Item* items_ = few_;
  uint32_t* jobs_ = jobs_of_few_;
};

// Fewer jobs are read by one thread.
inline constexpr size_t kJobsRead = 512;

// Checks the jobs, runs the valid ones, writes each one's status. `read` fills an Item from a job and returns its
// status, its copies on several threads; `run` takes the items and the numbers of their jobs, and sets `done` of each.
template <class Item, class Job, class Read, class Run>
vsh_status run_batch(Job* jobs, size_t num_jobs, size_t job_size, unsigned threads, const Read& read, Run run) {
  if (job_size != sizeof(Job) || num_jobs > UINT32_MAX - 1 || num_jobs > SIZE_MAX / sizeof(Job) ||
      !is_buffer(jobs, num_jobs * sizeof(Job)))
    return VSH_E_ARGUMENT;
  Items<Item> batch;
  vsh_status result = VSH_OK;
  const vsh_status outcome = guarded([&] {
    batch.reserve(num_jobs);
    for_ranges(num_jobs, kJobsRead, threads, [&](size_t begin, size_t end) {
      for (auto read_next = read; begin < end; ++begin) jobs[begin].status = read_next(jobs[begin], batch.of(begin));
    });
    batch.keep(num_jobs, [&](size_t i) { return jobs[i].status == VSH_OK; });
    if (batch.items().size() < num_jobs) result = VSH_E_JOB;
    if (!batch.items().empty()) run(batch.items(), batch.jobs());
    return VSH_OK;
  });
  if (outcome == VSH_OK) return result;
  const auto items = batch.items();
  if (items.empty()) {  // no memory for the list
    for (size_t i = 0; i < num_jobs; ++i) jobs[i].status = outcome;
    return outcome;
  }
  for (size_t i = 0; i < items.size(); ++i)
    if (!items[i].done) jobs[batch.jobs()[i]].status = outcome;
  return outcome;
}

// Returns the rows for many messages in order of preference; a forced row is the only one.
inline std::vector<const HashLanesKernel*> lane_kernels(const HashLanesChoice& choice) {
  std::vector<const HashLanesKernel*> kernels;
  if (!choice.row) return kernels;
  kernels.push_back(choice.row);
  for (const HashLanesKernel* row : hash_lanes_kernels())
    if (!choice.forced && row != choice.row && runnable(row->info)) kernels.push_back(row);
  return kernels;
}

}  // namespace vsh::api
