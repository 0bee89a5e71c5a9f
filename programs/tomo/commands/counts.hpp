// From the files' values to line integrals: counts of photons, NaN and infinity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "programs/tomo/commands/numbers.hpp"

namespace vsh::tomo {

// The kind of a scan's numbers.
enum class DataKind { counts, transmission, integrals };
inline constexpr Word<std::optional<DataKind>> kDataKinds[] = {{"auto", std::nullopt},
                                                               {"counts", DataKind::counts},
                                                               {"transmission", DataKind::transmission},
                                                               {"integrals", DataKind::integrals}};
// Averages frames [frame][row][bin]; no frames: zeros.
std::vector<float> mean_frame(const std::vector<float>& frames, size_t num_frames, size_t len);

// Those without object and without beam, averaged: [row][bin].
struct Fields {
  std::vector<float> white, dark;
};

// Returns how many are NaN or infinity.
uint64_t count_gaps(const std::vector<float>& values);

// Values that were not as they should be.
struct Findings {
  uint64_t num_values = 0;
  uint64_t not_finite = 0;  // NaN and infinity
  uint64_t dead = 0;        // of bins whose white is not above their dark
  uint64_t clipped = 0;     // a transmission of half a count or less
  uint64_t zingers = 0;
};

// Projections [angle][row][bin], in place.
struct RawProjections {
  std::string name;  // for messages
  std::vector<float>& values;
  size_t num_angles, num_rows, num_bins;

  // Makes line integrals of them. gaps: how many are NaN or infinite; those are replaced from their neighbours, as dead
  // bins are. on_transmission: called before minus-log. Throws Failure.
  Findings integrate(
      DataKind data, const Fields& fields, uint64_t gaps, const std::function<void()>& on_transmission = [] {}) const;
  // Replaces NaN and infinity. Throws a Failure for a row without any.
  void fill() const;
};

}  // namespace vsh::tomo
