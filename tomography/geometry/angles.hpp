// Shares of pi for angles of any set.
#pragma once

#include <span>
#include <vector>

namespace vsh::tomography {

// Returns theta modulo pi, in [0, pi).
double modulo_pi(double theta);

// Returns half the gaps to both neighbours modulo pi. Coinciding angles share; a gap above three medians is a missing
// wedge and counts as one and a half. Full coverage sums to pi.
std::vector<double> gap_weights(std::span<const double> angles);

}  // namespace vsh::tomography
