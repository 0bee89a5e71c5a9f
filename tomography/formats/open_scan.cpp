#include <sys/stat.h>

#include <array>
#include <cmath>
#include <cstring>

#include "cli/files/input_file.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"
#include "tomography/formats/array_scan.hpp"
#include "tomography/formats/hdf5_scan.hpp"
#include "tomography/formats/regular_file.hpp"
#include "tomography/formats/scan.hpp"
#include "tomography/formats/sidecar.hpp"
#include "tomography/formats/stack_scan.hpp"

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
  if (!info.angles.empty() && info.angles.size() != info.num_angles)
    refuse(tr("{1} angles for {2} projections", info.angles.size(), info.num_angles),
           tr("give them with --angles or --angle-step"));
  for (const double angle : info.angles)
    if (!std::isfinite(angle) || std::fabs(angle) > 1e6)
      refuse(tr("an angle that is no number of degrees"), tr("give the angles with --angles or --angle-step"));
  if (info.centre && !std::isfinite(*info.centre))
    refuse(tr("a centre of rotation that is no number"), tr("give it with --centre"));
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

std::unique_ptr<Scan> open_scan(const std::string& path) {
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
    if (begins("\x89HDF\r\n\x1a\n", 8)) scan = open_hdf5_scan(path);
    else if (begins("\x93NUMPY", 6)) scan = open_npy_scan(path);
    else if (begins("II\x2a\0", 4) || begins("MM\0\x2a", 4) || begins("II\x2b\0", 4) || begins("MM\0\x2b", 4))
      scan = open_tiff_scan(path);
    else scan = open_raw_scan(path);
  }
  check_scan(scan->info());
  return scan;
}

}  // namespace vsh::tomo
