// The ramp of filtered back-projection and its windows.
#pragma once

#include <vector>

#include "vershina/tomography.h"

namespace vsh::tomography {

// Returns the filter's transform at omega = 2 pi k / length, k < length: that of the sampled kernel h[0] = 1/4, h[odd
// k] = -1 / (pi k)^2, whose value at 0 is right for a row that is padded to this length (Kak and Slaney 1988, 3.3),
// times the window.
std::vector<double> ramp(vsh_tomo_filter filter, size_t length);

// Returns the window at omega.
double window(vsh_tomo_filter filter, double omega);

}  // namespace vsh::tomography
