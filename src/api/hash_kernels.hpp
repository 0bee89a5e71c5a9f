// Chooses the Streebog kernels for HMAC and what is built on it.
#pragma once

#include "api/arguments/options.hpp"
#include "api/batch.hpp"

namespace vsh::api {

// Constant-time rows only: keys and passwords go through the hash.
struct SecretHashKernels {
  const HashKernel* one = nullptr;
  HashLanesChoice many;

  // Errors: ARGUMENT, KERNEL_*.
  vsh_status choose(Options& o, const vsh_options* options) noexcept {
    if (const vsh_status s = read_options(o, options)) return s;
    const HashChoice choice = choose_hash_kernel(o.kernel, false);
    one = choice.row;
    many = choose_hash_lanes_kernel(o.kernel);
    return status_of(choice.status != Choice::ok ? choice.status : many.status);
  }
  std::vector<const HashLanesKernel*> lanes() const { return lane_kernels(many); }
};

}  // namespace vsh::api
