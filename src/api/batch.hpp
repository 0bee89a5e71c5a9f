// Runs batches of jobs: each is checked separately, and the valid ones run together.
#pragma once

#include <span>
#include <vector>

#include "api/arguments/context.hpp"

namespace vsh::api {

// The items of a batch, and the numbers of their jobs; of few jobs without an allocation.
template <class Item>
class Items {
 public:
  // Throws std::bad_alloc.
  void reserve(size_t num_jobs) {
    is_few_ = num_jobs <= kFew;
    if (is_few_) return;
    many_.reserve(num_jobs);
    jobs_of_many_.resize(num_jobs);
  }
  Item& next() {
    if (is_few_) return few_[size_];
    return many_.size() == size_ ? many_.emplace_back() : many_[size_];
  }
  void take_next(size_t job) noexcept {
    (is_few_ ? jobs_of_few_ : jobs_of_many_.data())[size_++] = static_cast<uint32_t>(job);
  }

  std::span<Item> items() noexcept { return {is_few_ ? few_ : many_.data(), size_}; }
  std::span<const uint32_t> jobs() const noexcept { return {is_few_ ? jobs_of_few_ : jobs_of_many_.data(), size_}; }

 private:
  static constexpr size_t kFew = 4;

  bool is_few_ = true;
  size_t size_ = 0;
  Item few_[kFew];
  uint32_t jobs_of_few_[kFew];
  std::vector<Item> many_;
  std::vector<uint32_t> jobs_of_many_;
};

// Checks the jobs, runs the valid ones, writes each one's status. `read` fills an Item from a job and returns its
// status; `run` takes the items and the numbers of their jobs, and sets `done` of each.
template <class Item, class Job, class Read, class Run>
vsh_status run_jobs(Job* jobs, size_t num_jobs, size_t job_size, Read read, Run run) {
  if (job_size != sizeof(Job) || num_jobs > UINT32_MAX - 1 || num_jobs > SIZE_MAX / sizeof(Job) ||
      !is_buffer(jobs, num_jobs * sizeof(Job)))
    return VSH_E_ARGUMENT;
  Items<Item> batch;
  vsh_status result = VSH_OK;
  const vsh_status outcome = guarded([&] {
    batch.reserve(num_jobs);
    for (size_t i = 0; i < num_jobs; ++i) {
      jobs[i].status = read(jobs[i], batch.next());
      if (jobs[i].status == VSH_OK) batch.take_next(i);
      else result = VSH_E_JOB;
    }
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
