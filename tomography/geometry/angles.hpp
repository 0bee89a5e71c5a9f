// Angles of any set: which of them are one, where some are missing, their shares of pi.
#pragma once

#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

namespace vsh::tomography {

// Angles modulo a period, half a turn or a whole one.
struct AngleCircle {
  struct Place {
    double angle;                 // the mean of its members', in [0, period)
    std::vector<size_t> members;  // the first is the least, or one just below the period
  };
  AngleCircle(std::span<const double> angles, double period);

  std::vector<Place> places;  // rising
  std::vector<double> gaps;   // after each place
  double usual;               // the mean of gaps that are not wedges
  double widest;              // a wider one is a missing wedge
};

// Returns half the gaps to both neighbours modulo a period, shared by the angles of a place; a missing wedge counts as
// one and a half usual gaps. Full coverage sums to pi, of half a turn and of a whole one.
std::vector<double> gap_weights(std::span<const double> angles, double period = std::numbers::pi);

}  // namespace vsh::tomography
