// A scan with what the command line adds to its files, and its projections as line integrals.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/options/command.hpp"
#include "programs/tomo/commands/counts.hpp"
#include "programs/tomo/commands/numbers.hpp"
#include "programs/tomo/scans/scan.hpp"

namespace vsh::tomo {

// The meaning of numbers in the names of pictures.
enum class PictureNumbers { places, order };
enum class StripeMethod { sorting, wavelet };

// Options of commands that read projections.
class ScanOptions {
 public:
  void add_to(cli::Command& command);
  // Those that also hold for a projection alone.
  void add_projection_to(cli::Command& command);
  void add_without_scan_to(cli::Command& command);  // for a command with operands of its own
  void add_sinogram_to(cli::Command& command);      // zingers and stripes

  // Returns whether --data allows counts, which need frames without object.
  bool may_be_counts() const { return data.value_or(DataKind::counts) == DataKind::counts; }

  std::string path, entry, angles_file, whites_file;
  std::optional<PictureNumbers> numbers;
  std::optional<DataKind> data;  // nothing: auto
  std::optional<StripeMethod> stripes;
  std::optional<double> white, first_angle, angle_step, fan, cone, source_row, pixel, zingers, stripe_sigma, phase,
      energy, distance;
  size_t stripe_window = 0;
  bool clockwise = false, fill = false, still = false;
  unsigned threads = 0;
};

// Removes zingers and stripes of line integrals [angle][row][bin], angles ascending, as the options say. Returns how
// many zingers there were.
uint64_t mend_sinograms(std::vector<float>& values, size_t num_angles, size_t num_bins, const ScanOptions& options);
// Bytes that this takes in each thread.
uint64_t mending_bytes(size_t num_angles, size_t num_bins, const ScanOptions& options);
// That in words, as in PreparedScan::steps().
std::vector<std::pair<std::string, std::string>> sinogram_steps(const ScanOptions& options, size_t num_bins);

// Frames without object that --whites or --white give instead of the scan's.
class GivenWhites {
 public:
  // For a detector of num_rows rows and num_bins bins. Throws Failure.
  GivenWhites(const ScanOptions& options, size_t num_rows, size_t num_bins);
  bool are_there() const { return frames_ != nullptr || level_.has_value(); }
  size_t num() const;
  // Their mean, [row][bin] of rows `first`, ...
  std::vector<float> mean(size_t first, size_t num_rows);
  std::vector<cli::ReadFile> sources() const;

 private:
  std::unique_ptr<Scan> frames_;
  bool are_of_scan_ = false;  // whites of a whole scan
  std::optional<double> level_;
  size_t bins_;
};

// Facts about numbers before they are read.
struct DataSigns {
  std::string name;
  std::string element;  // "uint16"
  bool has_whites, has_darks;
};
// Returns what --data says, or else what the numbers are. Throws a Failure for counts without frames without object.
DataKind choose_data(const ScanOptions& options, const DataSigns& signs);

// Throws a Failure if --angles or --angle-step gave degrees that cannot be those of num_projections.
void check_given_angles(const ScanOptions& options, const std::vector<double>& angles, size_t num_projections);

// An axis of rotation that a method found.
struct FoundCentre {
  std::string method;
  double bin, confidence;
};

class PreparedScan {
 public:
  // Opens it, and reads the angles. Throws Failure.
  explicit PreparedScan(const ScanOptions& options);

  const ScanInfo& info() const { return scan_->info(); }
  std::vector<cli::ReadFile> sources() const;
  const std::vector<double>& radians() const { return radians_; }
  DataKind data() const { return data_; }
  unsigned threads() const { return options_.threads; }
  // Returns choices and steps, for people: pairs of a word and its value.
  std::vector<std::pair<std::string, std::string>> steps() const;

  // Rows first, ... of all projections, [angle][row][bin]: as they are in the files, with their fields.
  struct Block {
    size_t first = 0, num = 0;
    size_t before = 0, rows = 0;  // rows in front of them that phase retrieval needs, and all; until prepare()
    std::vector<float> values;
    Fields fields;
  };
  void read(Block& block, size_t first, size_t num);
  // Makes line integrals of them. Throws a Failure for NaN and infinite values, unless --fill is given.
  void prepare(Block& block);
  // Returns the bytes of a block of `num` rows, frames and copies included.
  uint64_t block_bytes(size_t num) const;
  // Those that prepare() takes for it meanwhile.
  uint64_t work_bytes(size_t num) const;

  // The sinogram [angle][bin] of one row, prepared.
  std::vector<float> sinogram(size_t row);
  // The axis by all methods in it, the chosen one in front of them (vsh_tomo_find_centres); empty: none finds it.
  std::vector<FoundCentre> find_centres(const std::vector<float>& sinogram) const;
  // Bytes that it takes to find the axis from one, that included.
  uint64_t centre_bytes() const;
  // The row to find the axis from: the middle one; of a cone that nearest to the source's plane, which is a fan's.
  size_t central_row() const;
  void take_as_fan() {
    if (info().beam == VSH_TOMO_CONE) scan_->info().beam = VSH_TOMO_FAN;
  }

  // Reports the findings of prepare() so far.
  void report() const;
  void forget_findings() { findings_ = {}; }

 private:
  void choose_beam();
  void choose_angles();
  void choose_data();
  void choose_phase();
  RawProjections raw(Block& block) const;
  void retrieve_phase(Block& block);
  void remove_spikes(Block& block);
  void mend(Block& block);

  void look_at_integrals(const Block& block);

  const ScanOptions& options_;
  std::unique_ptr<Scan> scan_;
  GivenWhites whites_;
  std::vector<double> radians_;
  DataKind data_{};
  Findings findings_;
  size_t num_unwritten_ = 0;  // projections that are 0 throughout, where others are not
  float largest_ = 0;         // of numbers taken for integrals without being told
  size_t reach_ = 0;          // rows beyond a block that phase retrieval needs; 0: there is none
  std::vector<float> frames_;
};

// --centre: a bin, or "auto".
struct CentreOption {
  std::optional<double> bin;
  bool is_auto = false;
  void add_to(cli::Command& command);
};

struct Centre {
  double bin;
  std::string source;  // "given", "of the file", "found by ..."
};
// Takes that of the option, of the file, or finds it. Throws Failure. memory: that may be used; 0: all free memory.
Centre choose_centre(PreparedScan& scan, const CentreOption& option, uint64_t memory = 0);

}  // namespace vsh::tomo
