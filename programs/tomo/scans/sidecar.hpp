// The sidecar: a JSON file next to data that do not describe themselves.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs/tomo/formats/elements.hpp"
#include "programs/tomo/formats/regular_file.hpp"
#include "programs/tomo/scans/scan.hpp"

namespace vsh::tomo {

struct Sidecar {
  std::string name;  // for messages
  cli::ReadFile file;
  std::optional<std::array<uint64_t, 3>> shape;  // angles, rows, bins
  Element element{ElementKind::f32, false};
  uint64_t offset = 0;         // of the first number
  std::vector<double> angles;  // degrees, or
  std::optional<double> first_angle, angle_step;
  std::string whites, darks;  // files next to the sidecar; empty: none
  std::optional<double> centre, pixel_mm, source_distance, source_row;

  // Copies what describes the scan as a whole.
  void apply(ScanInfo& info) const;
};

// Returns nothing if there is no such file. Throws Failure for one that cannot be used.
std::optional<Sidecar> read_sidecar(const FileName& file);
// The sidecar of a file: NAME.json, or with .json instead of the suffix.
std::optional<Sidecar> sidecar_of(const std::string& path);

// Returns a file in the same folder as `path`.
FileName beside(const std::string& path, const std::string& name);

}  // namespace vsh::tomo
