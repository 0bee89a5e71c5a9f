// The angles of a fan or cone: a full turn or a short scan.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vsh::tomography {

struct Trajectory {
  std::vector<size_t> views;   // the projections in order of angle; of coinciding ones the first
  std::vector<double> angles;  // theirs, rising from the start, less than a turn above it
  std::vector<double> steps;   // half the gaps to both neighbours; at the ends of a short scan a whole one
  bool full = false;           // no gap is a missing wedge: a whole turn
  double range() const;        // the sum of steps
};

// displaced: about an axis off the middle of the detector. Only a whole turn measures all lines then, and frames that
// were dropped do not make it a short scan.
Trajectory trajectory_of(std::span<const double> angles, bool displaced = false);

}  // namespace vsh::tomography
