// Runs batches of jobs: each is checked separately, and the valid ones run together.
#pragma once

#include <vector>

#include "api/arguments/context.hpp"

namespace vsh::api {

// Checks the jobs, runs the valid ones, writes each one's status. `read` fills an Item from a job and returns its
// status; `run` takes the items, and sets `done` of each.
template <class Item, class Job, class Read, class Run>
vsh_status run_batch(Job* jobs, size_t num_jobs, size_t job_size, Read read, Run run) {
  if (job_size != sizeof(Job) || num_jobs > UINT32_MAX - 1 || num_jobs > SIZE_MAX / sizeof(Job) ||
      !is_buffer(jobs, num_jobs * sizeof(Job)))
    return VSH_E_ARGUMENT;
  std::vector<Item> items;
  std::vector<uint32_t> job_of;  // each item's
  vsh_status result = VSH_OK;
  const vsh_status outcome = guarded([&] {
    items.reserve(num_jobs);
    job_of.reserve(num_jobs);
    for (size_t i = 0; i < num_jobs; ++i) {
      jobs[i].status = read(jobs[i], items.emplace_back());
      if (jobs[i].status == VSH_OK) {
        job_of.push_back(static_cast<uint32_t>(i));
      } else {
        items.pop_back();
        result = VSH_E_JOB;
      }
    }
    if (!items.empty()) run(items);
    return VSH_OK;
  });
  if (outcome == VSH_OK) return result;
  if (job_of.empty()) {  // no memory for the list
    for (size_t i = 0; i < num_jobs; ++i) jobs[i].status = outcome;
    return outcome;
  }
  for (size_t i = 0; i < items.size(); ++i)
    if (!items[i].done) jobs[job_of[i]].status = outcome;
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
