// `vershina tomo compare`: how far a volume is from another one.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "programs/common/files/output_file.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/text/columns.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/commands.hpp"
#include "programs/tomo/commands/numbers.hpp"
#include "programs/tomo/formats/png_encoder.hpp"
#include "programs/tomo/volumes/volume_reader.hpp"
#include "programs/tomo/volumes/volume_writer.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

struct CompareSettings {
  std::string volume, reference, picture;
  bool circle = false, json = false, force = false;
};

struct Figures {
  double rmse = 0, psnr = 0, ssim = 0, greatest = 0, mean_difference = 0, range = 0;
  uint64_t num = 0;
};

// Structural similarity of Wang et al. (2004, doi 10.1109/TIP.2003.819861) as scikit-image computes it by default:
// squares of 7 x 7, sample variances, the mean over all squares.
class Similarity {
 public:
  Similarity(size_t rows, size_t columns, double range)
      : rows_(rows), columns_(columns), c1_(0.01 * 0.01 * range * range), c2_(0.03 * 0.03 * range * range) {}

  double of(const float* a, const float* b) {
    if (rows_ < kSide || columns_ < kSide) return 1;
    // Sums of a, b, aa, bb, ab over squares, from sums over columns of seven rows.
    std::vector<std::array<double, 5>> columns(columns_);
    double sum = 0;
    for (size_t y = 0; y < rows_; ++y) {
      for (size_t x = 0; x < columns_; ++x) {
        add(columns[x], a[y * columns_ + x], b[y * columns_ + x], 1);
        if (y >= kSide) add(columns[x], a[(y - kSide) * columns_ + x], b[(y - kSide) * columns_ + x], -1);
      }
      if (y + 1 < kSide) continue;
      std::array<double, 5> square{};
      for (size_t x = 0; x < columns_; ++x) {
        for (size_t i = 0; i < 5; ++i) square[i] += columns[x][i] - (x >= kSide ? columns[x - kSide][i] : 0);
        if (x + 1 >= kSide) sum += value(square);
      }
    }
    return sum / static_cast<double>((rows_ - kSide + 1) * (columns_ - kSide + 1));
  }

 private:
  static constexpr size_t kSide = 7;
  static void add(std::array<double, 5>& sums, float a, float b, double sign) {
    const double u = static_cast<double>(a), v = static_cast<double>(b);
    sums[0] += sign * u, sums[1] += sign * v;
    sums[2] += sign * u * u, sums[3] += sign * v * v, sums[4] += sign * u * v;
  }
  double value(const std::array<double, 5>& sums) const {
    constexpr double num = kSide * kSide, sample = num / (num - 1);
    const double ma = sums[0] / num, mb = sums[1] / num;
    const double va = sample * (sums[2] / num - ma * ma), vb = sample * (sums[3] / num - mb * mb);
    const double cov = sample * (sums[4] / num - ma * mb);
    return (2 * ma * mb + c1_) * (2 * cov + c2_) / ((ma * ma + mb * mb + c1_) * (va + vb + c2_));
  }

  const size_t rows_, columns_;
  const double c1_, c2_;
};

class CompareCommand {
 public:
  explicit CompareCommand(const CompareSettings& settings)
      : settings_(settings), volume_(open_volume(settings.volume)), reference_(open_volume(settings.reference)) {
    const auto &a = volume_->shape(), &b = reference_->shape();
    if (a != b)
      throw Failure(ExitCode::data,
                    tr("{1} has {2} x {3} x {4} numbers, and {5} has {6} x {7} x {8}", volume_->name(), a[0], a[1],
                       a[2], reference_->name(), b[0], b[1], b[2]),
                    tr("only volumes of one size can be compared"));
    rows_ = a[1], columns_ = a[2];
    cli::check_memory(20 * uint64_t{rows_} * columns_, volume_->name());
    first_.resize(rows_ * columns_);
    second_.resize(rows_ * columns_);
    if (!settings.picture.empty()) cli::check_output_name(settings.picture, settings.force, cli::Content::binary);
  }

  void run() {
    find_range();
    measure();
    if (settings_.json) print_json();
    else print_text();
    if (!settings_.picture.empty()) write_picture();
  }

 private:
  bool is_inside(size_t y, size_t x) const {
    if (!settings_.circle) return true;
    const double v = static_cast<double>(y) - static_cast<double>(rows_ - 1) / 2;
    const double u = static_cast<double>(x) - static_cast<double>(columns_ - 1) / 2;
    const double radius = static_cast<double>(std::min(rows_, columns_)) / 2 - 2;
    return u * u + v * v < radius * radius;
  }

  void find_range() {
    float low = INFINITY, high = -INFINITY;
    for (size_t z = 0; z < reference_->shape()[0]; ++z) {
      reference_->read(second_.data(), z);
      for (const float value : second_) {
        if (!std::isfinite(value))
          throw Failure(ExitCode::data, tr("{1}: slice {2} has NaN or infinite values", reference_->name(), z),
                        tr("nothing can be compared with them"));
        low = std::min(low, value), high = std::max(high, value);
      }
    }
    figures_.range = static_cast<double>(high) - static_cast<double>(low);
    reference_ = open_volume(settings_.reference);  // once more from the first slice
  }

  void measure() {
    double squares = 0, sum = 0, similarity = 0;
    Similarity measure(rows_, columns_, figures_.range);
    const size_t num = volume_->shape()[0];
    for (size_t z = 0; z < num; ++z) {
      volume_->read(first_.data(), z);
      reference_->read(second_.data(), z);
      for (size_t y = 0; y < rows_; ++y) {
        for (size_t x = 0; x < columns_; ++x) {
          const size_t i = y * columns_ + x;
          const double difference = static_cast<double>(first_[i]) - static_cast<double>(second_[i]);
          if (!std::isfinite(difference))
            throw Failure(ExitCode::data, tr("{1}: slice {2} has NaN or infinite values", volume_->name(), z),
                          tr("nothing can be compared with them"));
          if (!is_inside(y, x)) {
            first_[i] = second_[i] = 0;
            continue;
          }
          squares += difference * difference;
          sum += difference;
          figures_.greatest = std::max(figures_.greatest, std::fabs(difference));
          ++figures_.num;
        }
      }
      similarity += measure.of(first_.data(), second_.data());
      if (z == num / 2) shown_a_ = first_, shown_b_ = second_;
    }
    const auto all = static_cast<double>(std::max<uint64_t>(1, figures_.num));
    figures_.rmse = std::sqrt(squares / all);
    figures_.mean_difference = sum / all;
    figures_.psnr = figures_.rmse > 0 ? 20 * std::log10(figures_.range / figures_.rmse) : INFINITY;
    figures_.ssim = similarity / static_cast<double>(num);
  }

  void print_text() const {
    cli::print(cli::align_columns({{"RMSE", shown(figures_.rmse)},
                                   {"PSNR", tr("{1} dB", shown(figures_.psnr))},
                                   {"SSIM", shown(figures_.ssim)},
                                   {tr("mean difference"), shown(figures_.mean_difference)},
                                   {tr("greatest"), shown(figures_.greatest)}},
                                  {}));
  }
  void print_json() const {
    cli::JsonObject top(cli::JsonLayout::lines);
    const auto number = [](double value) { return std::isfinite(value) ? cli::Json::fixed(value, 9) : cli::Json(); };
    top.add("rmse", number(figures_.rmse)).add("psnr", number(figures_.psnr)).add("ssim", number(figures_.ssim));
    top.add("mean_difference", number(figures_.mean_difference)).add("greatest", number(figures_.greatest));
    top.add("range", number(figures_.range)).add("values", figures_.num);
    cli::print(top.text() + "\n");
  }

  // The middle slice: grey where both are equal, white where the volume is above the reference.
  void write_picture() const {
    std::vector<float> differences(shown_a_.size());
    double most = 0;
    for (size_t i = 0; i < differences.size(); ++i) {
      differences[i] = shown_a_[i] - shown_b_[i];
      most = std::max(most, std::fabs(static_cast<double>(differences[i])));
    }
    const Window window{-std::max(most, 1e-12), std::max(most, 1e-12)};
    Bytes words;
    (void)put_words(words, differences.data(), differences.size(), window, true);
    cli::OutputFile output(settings_.picture, settings_.force, cli::Content::binary, {});
    output.write(encode_png(words, rows_, columns_, 16,
                            {{"Software", "vershina tomo"}, {"Window", shown(window.low) + ":" + shown(window.high)}}));
    output.commit();
  }

  const CompareSettings& settings_;
  std::unique_ptr<VolumeReader> volume_, reference_;
  size_t rows_ = 0, columns_ = 0;
  std::vector<float> first_, second_, shown_a_, shown_b_;
  Figures figures_;
};

}  // namespace

void add_compare_command(cli::Program& program) {
  cli::Command& command = program.add_command("compare", tr("Measure how far a volume is from another one"));
  const auto settings = std::make_shared<CompareSettings>();
  command
      .add_operand("VOLUME", settings->volume,
                   tr("HDF5, NumPy, TIFF, PNG, NIfTI, or a folder: pictures, DICOM, OME-Zarr"))
      ->required();
  command.add_operand("REFERENCE", settings->reference, tr("The right one, to compare with"))->required();
  command.add_flag("--circle", settings->circle, tr("Only the circle that all rays meet, less two pixels"));
  command.add_option("--picture", settings->picture, "FILE", tr("Write the difference of the middle slices as PNG"));
  command.add_flag("--json", settings->json, tr("Print an object"));
  command.add_flag("-f,--force", settings->force, tr("Replace an existing picture"));
  command.footer(
      tr("PSNR and SSIM refer to the range of REFERENCE; SSIM is the mean over slices, of squares of 7 x 7.\n\n"
         "Example:\n"
         "  vershina tomo compare volume.h5 true.h5 --circle --picture difference.png"));
  command.exit_status({ExitCode::ok,
                       {ExitCode::data, tr("volumes that cannot be compared")},
                       ExitCode::usage,
                       ExitCode::input,
                       ExitCode::output});
  command.action([settings] { CompareCommand(*settings).run(); });
}

}  // namespace vsh::tomo
