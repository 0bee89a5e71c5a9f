// A scan: X-ray projections of an object from many angles, in any format.
#pragma once

#include <vershina/tomography.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/files/output_file.hpp"
#include "programs/tomo/formats/limits.hpp"
#include "programs/tomo/formats/picture_name.hpp"

namespace vsh::tomo {

// The parts that an option can give instead of the files.
enum class Part { angles, places, centre, pixel, whites, darks, motion };

// The object's, during a scan.
struct Motion {
  std::string path;  // of what says so
  double mm, place_mm;
};

// The facts in the files. Lengths in bins; angles in degrees, counter-clockwise.
struct ScanInfo {
  std::string name;     // for messages
  std::string format;   // "Data Exchange (HDF5)"
  std::string element;  // "uint16"
  size_t num_angles = 0, num_rows = 0, num_bins = 0;
  size_t num_whites = 0, num_darks = 0;  // frames with an open beam, and without beam
  size_t num_dropped = 0;                // frames that are marked as invalid, or as taken for alignment
  std::vector<double> angles;            // num_angles numbers; empty: the files do not say
  std::optional<double> angle_step;      // where they are at equal steps, from first_angle on
  double first_angle = 0;
  std::optional<double> centre;  // bin of the axis of rotation, from 0, on the detector
  std::optional<double> pixel_mm;
  std::vector<Motion> motions;
  vsh_tomo_beam beam = VSH_TOMO_PARALLEL;
  double source_distance = 0;  // of a fan and a cone: from the source to the axis
  double source_row = 0;       // of a cone: the row that is level with the source, from 0
  PicturePlaces places;        // of projections whose files say by their numbers that some are missing

  // Makes angles of steps.
  void count_steps();
  // Notes as a problem that angles cannot be those of the projections.
  void check_angles();
  // Likewise that the object moves, by more than half a pixel; if that is not known, by more than rounding.
  void check_motion();

  std::vector<std::string> notes;        // how the files were understood, where there was a choice
  std::map<Part, std::string> problems;  // why what the files say of it cannot be used: messages

  // The default, the middle one.
  double middle_row() const { return (static_cast<double>(num_rows) - 1) / 2; }

  // Reads a part: a Failure is a problem with it, which matters only to users of the part.
  void attempt(Part part, const std::function<void()>& read);
  // Throws the problem with a part as a Failure, if there is one.
  void need(Part part) const;
};

class Scan {
 public:
  virtual ~Scan() = default;
  const ScanInfo& info() const { return info_; }
  ScanInfo& info() { return info_; }
  // The files, which no output may replace.
  virtual std::vector<cli::ReadFile> sources() const = 0;

  // Each fills [frame][row][bin] with `num_rows` rows from `first` on, of all frames. Throws Failure.
  virtual void read(float* out, size_t first, size_t num_rows) = 0;
  virtual void read_whites(float* out, size_t first, size_t num_rows) = 0;
  virtual void read_darks(float* out, size_t first, size_t num_rows) = 0;

 protected:
  ScanInfo info_;
};

// Throws a Failure if a size is 0 or above its limit.
void check_scan(const ScanInfo& info);
// Returns the fault of the degrees of num_projections: their number, one that is not finite, or a set that makes no
// sense, such as radians. Empty: none.
std::string angles_problem(const std::vector<double>& angles, size_t num_projections);
// Whether the axis of rotation can be there.
bool is_on_detector(double centre, size_t num_bins);

// Returns whether open_scan() is what reads `path`, and not open_volume(): HDF5 says so itself, of other formats it is
// what has a sidecar or, a folder, frames without object. Throws a Failure for HDF5 that cannot be read.
bool is_scan(const std::string& path);

// Opens a scan: a file (HDF5, TIFF, NumPy, raw) or a directory of pictures. entry: which one of an NXtomo file with
// several; empty: the first. Throws a Failure, but not for what has a place in ScanInfo::problems.
std::unique_ptr<Scan> open_scan(const std::string& path, const std::string& entry = {});
// Opens frames, angles aside: a picture, too, and an array of two dimensions is one frame.
std::unique_ptr<Scan> open_frames(const std::string& path);

}  // namespace vsh::tomo
