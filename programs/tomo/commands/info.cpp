// `vershina tomo info`: what a scan's files say.
#include <algorithm>
#include <memory>
#include <string>

#include "programs/common/system/console.hpp"
#include "programs/common/text/json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/commands.hpp"
#include "programs/tomo/commands/numbers.hpp"
#include "programs/tomo/scans/scan.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::tr;

constexpr Word<vsh_tomo_beam> kBeams[] = {
    {"parallel", VSH_TOMO_PARALLEL}, {"fan", VSH_TOMO_FAN}, {"cone", VSH_TOMO_CONE}};

struct InfoSettings {
  std::string path, entry;
  bool json = false;
};

void print_text(const ScanInfo& info) {
  std::string text = info.name + ": " + tr(info.format.c_str()) + "\n";
  const auto row = [&](const std::string& name, const std::string& value) {
    const size_t width = cli::columns_of(name);
    text += "  " + name + std::string(width < 13 ? 13 - width : 1, ' ') + value + "\n";
  };
  row(tr("projections"),
      tr("{1} of {2} rows x {3} bins, {4}", info.num_angles, info.num_rows, info.num_bins, info.element));
  if (info.problems.contains(Part::angles) || (info.angles.empty() && info.angle_step)) {
    row(tr("angles"), tr("cannot be used"));
  } else if (info.angles.empty()) {
    row(tr("angles"), tr("not in the file: give them with --angles or --angle-step"));
  } else {
    const auto [least, most] = std::minmax_element(info.angles.begin(), info.angles.end());
    row(tr("angles"), tr("{1} to {2} degrees, the first two {3} apart", shown(*least), shown(*most),
                         info.angles.size() > 1 ? shown(info.angles[1] - info.angles[0]) : "0"));
  }
  row(tr("frames"), tr("{1} without object, {2} without beam", info.num_whites, info.num_darks));
  if (info.num_dropped > 0)
    row(tr("left out"),
        cli::tr_count(info.num_dropped, "{1} frame that is not a projection", "{1} frames that are not projections"));
  const auto missing = [&](Part part) {
    return info.problems.contains(part) ? tr("cannot be used") : tr("not in the file");
  };
  row(tr("centre"), info.centre ? tr("bin {1}", shown(*info.centre)) : missing(Part::centre));
  row(tr("pixel"), info.pixel_mm ? tr("{1} mm", shown(*info.pixel_mm)) : missing(Part::pixel));
  row(tr("beam"), info.beam == VSH_TOMO_CONE ? tr("cone, its source {1} bins from the axis, level with row {2}",
                                                  shown(info.source_distance), shown(info.source_row))
                  : info.beam == VSH_TOMO_FAN
                      ? tr("fan, its source {1} bins from the axis", shown(info.source_distance))
                      : tr("parallel"));
  row(tr("slices"), tr("{1} of {2} x {2}", info.num_rows, info.num_bins));
  for (const std::string& note : info.notes) row(tr("note"), note);
  for (const auto& [part, problem] : info.problems) row(tr("problem"), problem);
  cli::print(text);
}

cli::Json number(std::optional<double> value) { return value ? cli::Json::fixed(*value, 9) : cli::Json(); }

void print_json(const std::string& path, const ScanInfo& info) {
  cli::JsonObject top(cli::JsonLayout::lines);
  add_file(top, path);
  top.add("format", info.format).add("type", info.element);
  top.add("projections", info.num_angles).add("rows", info.num_rows).add("bins", info.num_bins);
  top.add("whites", info.num_whites).add("darks", info.num_darks).add("dropped", info.num_dropped);
  cli::JsonArray angles;
  for (const double angle : info.angles) angles.add(number(angle));
  top.add("angles", angles).add("centre", number(info.centre)).add("pixel_mm", number(info.pixel_mm));
  top.add("beam", word_of(kBeams, info.beam));
  top.add("source_distance", info.beam != VSH_TOMO_PARALLEL ? number(info.source_distance) : cli::Json());
  top.add("source_row", info.beam == VSH_TOMO_CONE ? number(info.source_row) : cli::Json());
  cli::JsonArray notes, problems;
  for (const std::string& note : info.notes) notes.add(note);
  for (const auto& [part, problem] : info.problems) problems.add(problem);
  top.add("notes", notes).add("problems", problems);
  cli::print(top.text() + "\n");
}

}  // namespace

void add_info_command(cli::Program& program) {
  cli::Command& command = program.add_command("info", tr("Show what a scan's files say"));
  const auto settings = std::make_shared<InfoSettings>();
  command.add_operand("SCAN", settings->path, tr("A file, or a folder of pictures"))->required();
  command.add_option("--entry", settings->entry, "NAME",
                     tr("Which scan of an NXtomo file with several (default: the first)"));
  command.add_flag("--json", settings->json, tr("Print an object"));
  command.footer(
      tr("Formats: Data Exchange and NXtomo (HDF5), TIFF, NumPy, plain numbers with a sidecar, folders of\n"
         "TIFF or PNG pictures."));
  command.exit_status({ExitCode::ok, ExitCode::usage, ExitCode::input});
  command.action([settings] {
    const auto scan = open_scan(settings->path, settings->entry);
    scan->info().check_motion();
    if (settings->json) print_json(settings->path, scan->info());
    else print_text(scan->info());
  });
}

}  // namespace vsh::tomo
