#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "programs/common/files/input_file.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/elements.hpp"
#include "programs/tomo/formats/picture.hpp"
#include "programs/tomo/formats/regular_file.hpp"
#include "programs/tomo/scans/array_scan.hpp"
#include "programs/tomo/scans/hdf5_scan.hpp"
#include "programs/tomo/scans/scan.hpp"
#include "programs/tomo/scans/sidecar.hpp"
#include "programs/tomo/scans/stack_scan.hpp"

namespace vsh::tomo {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

void check_scan(const ScanInfo& info) {
  const auto refuse = [&](const std::string& problem, const std::string& advice) {
    throw Failure(ExitCode::input, info.name + ": " + problem, advice);
  };
  if (info.num_angles == 0 || info.num_rows == 0 || info.num_bins == 0)
    refuse(tr("a scan of {1} x {2} x {3} numbers (angles, rows, bins)", info.num_angles, info.num_rows, info.num_bins),
           tr("nothing is in it"));
  if (info.num_angles > kMostAngles || info.num_rows > kMostRows || info.num_bins > kMostBins)
    refuse(tr("a scan of {1} x {2} x {3} numbers (angles, rows, bins)", info.num_angles, info.num_rows, info.num_bins),
           tr("at most {1} x {2} x {3} are possible", kMostAngles, kMostRows, kMostBins));
}

std::string angles_problem(const std::vector<double>& angles, size_t num_projections) {
  if (angles.size() != num_projections) return tr("{1} angles for {2} projections", angles.size(), num_projections);
  for (const double angle : angles)
    if (!std::isfinite(angle) || std::fabs(angle) > 1e6) return tr("an angle that is not a number of degrees");
  if (angles.size() < 2) return {};
  // A whole turn in radians is 6.3.
  constexpr double kLeast = 7;
  std::vector<double> places;
  for (const double angle : angles) places.push_back(std::remainder(angle, 360));
  std::sort(places.begin(), places.end());
  double widest = places.front() + 360 - places.back();
  for (size_t i = 1; i < places.size(); ++i) widest = std::max(widest, places[i] - places[i - 1]);
  const double covered = 360 - widest;
  if (covered >= kLeast) return {};
  if (covered < 1e-6) return tr("all angles are the same");
  return tr("the angles cover {1} degrees in all, as radians would", shown(covered));
}

bool is_on_detector(double centre, size_t num_bins) {
  return centre >= -0.5 && centre <= static_cast<double>(num_bins) - 0.5;  // false for NaN
}

void ScanInfo::attempt(Part part, const std::function<void()>& read) {
  try {
    read();
  } catch (const Failure& failure) {
    if (failure.code() != ExitCode::input) throw;
    problems.emplace(part, failure.problem());
  }
}

void ScanInfo::need(Part part) const {
  const auto problem = problems.find(part);
  if (problem == problems.end()) return;
  const auto advice = [&] {
    switch (part) {
      case Part::angles: return tr("give them in degrees, with --angles or --angle-step");
      case Part::places: return tr("give --numbers places if they are lost, --numbers order if none is");
      case Part::centre: return tr("give it with --centre; --centre auto finds it");
      case Part::pixel: return tr("give it with --pixel");
      case Part::whites: return tr("give others with --whites or --white, or say what the data are with --data");
      case Part::darks: return tr("leave them out, or say what the data are with --data");
      default: return tr("give --pixel if it is less than half a pixel, or go on with --still");
    }
  };
  throw Failure(ExitCode::input, problem->second, advice());
}

void ScanInfo::count_steps() {
  angles.clear();
  for (size_t i = 0; i < num_angles && i < kMostAngles; ++i)
    angles.push_back(first_angle + static_cast<double>(places.steps.empty() ? i : places.steps[i]) * *angle_step);
}

void ScanInfo::check_angles() {
  if (!angles.empty() && !problems.contains(Part::angles))
    if (const std::string problem = angles_problem(angles, num_angles); !problem.empty())
      problems[Part::angles] = name + ": " + problem;
  if (problems.contains(Part::angles)) angles.clear();
}

void ScanInfo::check_motion() {
  for (const Motion& motion : motions)
    if (!(motion.mm <= (pixel_mm ? *pixel_mm / 2 : 1e-6 * motion.place_mm)))
      problems.emplace(
          Part::motion,
          name + ": " + tr("{1} changes by {2} mm during the scan", quote_name("/" + motion.path), shown(motion.mm)));
}

bool is_scan(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  const auto has = [&](const char* name) { return ::stat((path + name).c_str(), &status) == 0; };
  if (S_ISDIR(status.st_mode)) return has("/scan.json") || has("/whites");
  cli::InputFile input = open_regular(path);
  std::array<uint8_t, 8> start{};
  if (input.read_all(start) == start.size() && std::memcmp(start.data(), "\x89HDF\r\n\x1a\n", start.size()) == 0)
    return is_hdf5_scan(path);
  return sidecar_of(path).has_value();
}

std::unique_ptr<Scan> open_scan(const std::string& path, const std::string& entry) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw Failure(ExitCode::input, quote_name(path) + ": " + std::strerror(errno),
                  cli::advice_for_any_file(errno, cli::FileUse::reading).empty()
                      ? tr("check the name")
                      : cli::advice_for_any_file(errno, cli::FileUse::reading),
                  errno);
  std::unique_ptr<Scan> scan;
  if (S_ISDIR(status.st_mode)) {
    scan = open_stack(path);
  } else {
    cli::InputFile input = open_regular(path);
    std::array<uint8_t, 8> start{};
    const size_t len = input.read_all(start);
    const auto begins = [&](const char* magic, size_t magic_len) {
      return len >= magic_len && std::memcmp(start.data(), magic, magic_len) == 0;
    };
    if (begins("\x89HDF\r\n\x1a\n", 8)) scan = open_hdf5_scan(path, entry);
    else if (begins("\x93NUMPY", 6)) scan = open_npy_scan(path);
    else if (begins("II\x2a\0", 4) || begins("MM\0\x2a", 4) || begins("II\x2b\0", 4) || begins("MM\0\x2b", 4))
      scan = open_tiff_scan(path);
    else scan = open_raw_scan(path);
  }
  ScanInfo& info = scan->info();
  check_scan(info);
  info.check_angles();
  if (info.centre && !is_on_detector(*info.centre, info.num_bins))
    info.problems.emplace(Part::centre,
                          info.name + ": " +
                              tr("the axis of rotation, bin {1}, is outside of the detector, bins 0 to {2}",
                                 shown(*info.centre), info.num_bins - 1));
  if (info.problems.contains(Part::centre)) info.centre.reset();
  return scan;
}

std::unique_ptr<Scan> open_frames(const std::string& path) {
  std::unique_ptr<Scan> scan;
  if (path.ends_with(".npy")) scan = open_npy_frames(path);
  else if (is_picture_name(path) && !is_folder(path)) scan = open_picture_frames(path);
  else return open_scan(path);
  check_scan(scan->info());
  return scan;
}

}  // namespace vsh::tomo
