// `vershina tomo centre`: the axis of rotation, by several methods, and a sheet of candidates.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/machine.hpp"
#include "programs/common/text/columns.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/commands.hpp"
#include "programs/tomo/commands/engine.hpp"
#include "programs/tomo/commands/prepared_scan.hpp"
#include "programs/tomo/formats/png_encoder.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

struct CentreSettings {
  ScanOptions scan;
  std::optional<uint64_t> row;
  std::string sheet;
  std::optional<double> around, step;
  bool json = false, force = false;
};

// Digits of 3 x 5 pixels, a row in each octal digit.
constexpr std::array<unsigned, 10> kDigits = {075557, 026227, 071747, 071717, 055711,
                                              074717, 074757, 071244, 075757, 075717};
constexpr unsigned kPoint = 000002, kMinus = 000700;

class CentreCommand {
 public:
  explicit CentreCommand(const CentreSettings& settings) : settings_(settings), scan_(settings.scan) {
    row_ = settings.row ? *settings.row : scan_.central_row();
    scan_.take_as_fan();
    if (row_ >= scan_.info().num_rows)
      throw Failure(ExitCode::usage, tr("--row: the scan has rows 0 to {1}", scan_.info().num_rows - 1));
    if (!settings.sheet.empty()) cli::check_output_name(settings.sheet, settings.force, cli::Content::binary);
  }

  ExitCode run() {
    const size_t m = scan_.info().num_bins;
    cli::check_memory(scan_.centre_bytes(), tr("finding the axis of rotation"));
    // Nine slices, a part of them that is sorted, the picture twice.
    if (!settings_.sheet.empty())
      cli::check_memory(60 * uint64_t{m} * m, tr("a sheet of slices of {1} x {1}", m), tr("leave --sheet out"));
    sinogram_ = scan_.sinogram(row_);
    std::vector<FoundCentre> guesses = scan_.find_centres(sinogram_);
    std::optional<FoundCentre> best;
    if (!guesses.empty()) {
      best = guesses.front();
      guesses.erase(guesses.begin());
    }
    if (settings_.json) print_json(guesses, best);
    else print_text(guesses, best);
    if (!settings_.sheet.empty()) {
      const double middle = static_cast<double>(scan_.info().num_bins - 1) / 2;
      write_sheet(settings_.around.value_or(best ? best->bin : middle), settings_.step.value_or(0.5));
    }
    return best || !settings_.sheet.empty() ? ExitCode::ok : ExitCode::data;
  }

 private:
  void print_text(const std::vector<FoundCentre>& guesses, const std::optional<FoundCentre>& best) const {
    std::vector<std::vector<std::string>> rows = {{tr("METHOD"), tr("BIN"), tr("CONFIDENCE")}};
    const auto number = [](double value) {
      char text[32];
      std::snprintf(text, sizeof text, "%.3f", value);
      return std::string(text);
    };
    for (const FoundCentre& guess : guesses)
      rows.push_back({guess.method, number(guess.bin), number(guess.confidence)});
    if (best) rows.push_back({tr("chosen: {1}", best->method), number(best->bin), number(best->confidence)});
    cli::print(cli::align_columns(rows, {1, 2}));
    if (!best) cli::print_error(tr("no method applies: look at candidates with --sheet"));
  }
  void print_json(const std::vector<FoundCentre>& guesses, const std::optional<FoundCentre>& best) const {
    cli::JsonObject top(cli::JsonLayout::lines);
    cli::JsonArray list;
    const auto object = [](const FoundCentre& guess) {
      cli::JsonObject result;
      result.add("method", guess.method).add("centre", cli::Json::fixed(guess.bin, 4));
      result.add("confidence", cli::Json::fixed(guess.confidence, 4));
      return result;
    };
    for (const FoundCentre& guess : guesses) list.add(object(guess));
    top.add("row", row_).add("guesses", list).add("chosen", best ? cli::Json(object(*best)) : cli::Json());
    cli::print(top.text() + "\n");
  }

  // Nine slices, three by three, of centres a step apart.
  void write_sheet(double around, double step) const {
    const size_t m = scan_.info().num_bins, side = m;
    std::vector<std::vector<float>> slices;
    std::vector<double> centres;
    std::vector<float> all;
    PlanOptions engine;
    for (int i = -4; i <= 4; ++i) {
      centres.push_back(std::clamp(around + i * step, -0.5, static_cast<double>(m) - 0.5));
      const EnginePlan plan = engine.plan(scan_, centres.back());
      slices.emplace_back(side * side);
      check_tomo(vsh_tomo_reconstruct(plan.get(), slices.back().data(), sinogram_.data(), 0, 1));
      for (size_t k = 0; k < side * side; k += 7) all.push_back(slices.back()[k]);
    }
    std::sort(all.begin(), all.end());
    const float low = all[all.size() / 200], high = all[all.size() - 1 - all.size() / 200];
    const float range = std::max(high - low, 1e-12F);
    const size_t width = 3 * side;
    Bytes pixels(width * width);
    for (size_t tile = 0; tile < 9; ++tile) {
      const size_t top = tile / 3 * side, left = tile % 3 * side;
      for (size_t y = 0; y < side; ++y)
        for (size_t x = 0; x < side; ++x)
          pixels[(top + y) * width + left + x] =
              static_cast<uint8_t>(std::clamp((slices[tile][y * side + x] - low) / range, 0.F, 1.F) * 255.F + 0.5F);
      char text[32];
      std::snprintf(text, sizeof text, "%.2f", centres[tile]);
      draw(pixels, width, left + 3, top + 3, text, side < 128 ? 1 : side < 512 ? 2 : 4);
    }
    cli::OutputFile output(settings_.sheet, settings_.force, cli::Content::binary, scan_.sources());
    output.write(encode_png(pixels, width, width, 8, {{"Software", "vershina tomo"}}));
    output.commit();
  }

  static void draw(Bytes& pixels, size_t width, size_t left, size_t top, const char* text, size_t scale) {
    for (; *text != 0; ++text, left += 4 * scale) {
      const unsigned rows = *text == '.' ? kPoint : *text == '-' ? kMinus : kDigits[static_cast<size_t>(*text - '0')];
      for (size_t y = 0; y < 5 * scale; ++y)
        for (size_t x = 0; x < 3 * scale; ++x) {
          const size_t place = (top + y) * width + left + x;
          if ((rows >> (3 * (4 - y / scale)) >> (2 - x / scale) & 1) != 0 && place < pixels.size()) pixels[place] = 255;
        }
    }
  }

  const CentreSettings& settings_;
  PreparedScan scan_;
  size_t row_ = 0;
  std::vector<float> sinogram_;
};

}  // namespace

void add_centre_command(cli::Program& program) {
  cli::Command& command = program.add_command("centre", tr("Find the axis of rotation of a scan"));
  const auto settings = std::make_shared<CentreSettings>();
  settings->scan.add_to(command);
  const auto take = [settings](const cli::Texts& texts) {
    settings->row = cli::value_or_failure(cli::read_number("--row", texts.back(), {.max = kMostRows}));
  };
  command.add_option(
      "--row", "N",
      tr("The row of the detector to find it from (default: the middle one, of a cone that level with the source)"),
      false, take);
  command.add_option("--sheet", settings->sheet, "FILE",
                     tr("Write a PNG of nine slices with their centres, to choose from"));
  add_signed(command, "--around", settings->around, -65536, 131072, "BIN",
             tr("The sheet's middle (default: the centre found)"));
  add_positive(command, "--step", settings->step, 0.01, 1000, "BINS", tr("Between its slices (default: 0.5)"));
  command.add_flag("--json", settings->json, tr("Print an object"));
  command.add_flag("-f,--force", settings->force, tr("Replace an existing sheet"));
  command.footer(
      tr("Methods: fourier (Vo 2014), correlation (Guizar-Sicairos 2008) and mass (Azevedo 1990); of fans and\n"
         "cones opposite (Panetta 2008) and symmetry (Meng 2013); each with a confidence from 0 to 1. The first\n"
         "that agrees with another one within half a bin is chosen, else the most confident one.\n\n"
         "Examples:\n"
         "  vershina tomo centre raw.h5\n"
         "  vershina tomo centre raw.h5 --sheet centres.png"));
  command.exit_status(
      {ExitCode::ok, {ExitCode::data, tr("no centre found")}, ExitCode::usage, ExitCode::input, ExitCode::output});
  command.action([settings] { return CentreCommand(*settings).run(); });
}

}  // namespace vsh::tomo
