// The ramp as recursive filters: 4 causal and 4 anticausal ones of the first order.
#pragma once

#include "tomography/slices/kernel.hpp"
#include "vershina/tomography.h"

namespace vsh::tomography {

// Fits h[k] = -sum of A r^|k| to the Shepp-Logan kernel -2 / (pi^2 (4 k^2 - 1)) for 0 < |k| < bins. The running sums
// are fitted too, with the weight 300: they are the rest of a constant row, which the eye sees as an offset. The
// ram-lak kernel is 0 at even k: poles r and -r together are one recursion with lag 2. Hamming's and Hann's windows are
// ram-lak with three bins averaged, as 0.54 + 0.46 cos(omega) and (1 + cos(omega)) / 2 say. There is none for the
// cosine.
RecursiveFilter fit_recursive_filter(vsh_tomo_filter window, size_t bins);

}  // namespace vsh::tomography
