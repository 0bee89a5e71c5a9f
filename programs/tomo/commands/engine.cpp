#include "programs/tomo/commands/engine.hpp"

#include <algorithm>

#include "programs/common/system/machine.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

// Names in the order of the library's enumerators, which count from 1.
const std::vector<std::string> kAlgorithms = {"fbp", "dfr", "hfbp", "sirt", "cgls", "tv"};
const std::vector<std::string> kFilters = {"ram-lak", "shepp-logan", "cosine", "hamming", "hann"};
const std::vector<std::string> kInterpolations = {"linear", "cubic"};
const std::vector<std::string> kQualities = {"accurate", "fast"};
const std::vector<std::string> kWeights = {"gaps", "uniform"};
const std::vector<std::string> kPaddings = {"zeros", "edges"};

// The first name is the default.
const std::string& or_default(const std::string& name, const std::vector<std::string>& names) {
  return name.empty() ? names.front() : name;
}

template <class Enumerator>
Enumerator place_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Enumerator>(std::find(names.begin(), names.end(), or_default(name, names)) - names.begin() + 1);
}

cli::NameRule rule(const char* what, const std::vector<std::string>& names) {
  return {what, [&names] { return names; }};
}

}  // namespace

void check_tomo(vsh_tomo_status status) {
  const std::string message = vsh_tomo_status_message(status);
  switch (status) {
    case VSH_TOMO_OK: return;
    case VSH_TOMO_E_MEMORY: throw std::bad_alloc();
    case VSH_TOMO_E_KERNEL_UNKNOWN:
    case VSH_TOMO_E_KERNEL_CPU: throw Failure(ExitCode::kernel, message, tr("leave --kernel out"));
    case VSH_TOMO_E_COMBINATION: throw Failure(ExitCode::usage, message, tr("choose another --algorithm"));
    case VSH_TOMO_E_GEOMETRY:
      throw Failure(ExitCode::usage, message, tr("check --centre, --fan or --cone, and the angles"));
    case VSH_TOMO_E_ANGLES: throw Failure(ExitCode::usage, message, tr("check --angles or --angle-step"));
    case VSH_TOMO_E_PARAMETERS:
      throw Failure(ExitCode::usage, message, tr("check --iterations, --relaxation and --tv-weight"));
    default: throw Failure(ExitCode::usage, message, tr("see the limits in docs/tomography.md"));
  }
}

cli::NameRule EngineOptions::algorithms() { return rule(cli::mark("algorithm"), kAlgorithms); }

void EngineOptions::add_to(cli::Command& command) {
  cli::add_name(command, "-a,--algorithm", algorithm, algorithms(),
                tr("fbp, dfr, hfbp, sirt, cgls or tv (default: fbp)"), "NAME");
  add_fbp_to(command);
  cli::add_name(command, "--quality", quality_, rule(cli::mark("quality"), kQualities),
                tr("Of hfbp: accurate or fast (default: accurate)"), "NAME");
  cli::add_name(command, "--weights", weights_, rule(cli::mark("kind of weights"), kWeights),
                tr("Of angles: gaps, by the gaps between them, or uniform (default: gaps)"), "NAME");
  cli::add_number(command, "--iterations", iterations_, {.min = 1, .max = 100000},
                  tr("Of sirt, cgls and tv (default: 100, 20, 200)"));
  add_positive(command, "--relaxation", relaxation_, 0.001, 1.999, "L", tr("Of sirt (default: 1)"));
  add_positive(command, "--tv-weight", tv_weight_, 0, 1e6, "W", tr("Of tv: of the total variation (default: 0.01)"));
  command.add_flag("--nonnegative", nonnegative_, tr("Sirt and tv: keep values at or above 0"));
}

void EngineOptions::add_fbp_to(cli::Command& command) {
  cli::add_name(command, "--filter", filter_, rule(cli::mark("filter"), kFilters),
                tr("ram-lak, shepp-logan, cosine (not hfbp), hamming or hann (default: ram-lak)"), "NAME");
  cli::add_name(command, "--interpolation", interpolation_, rule(cli::mark("interpolation"), kInterpolations),
                tr("Of fbp: linear or cubic (default: linear)"), "NAME");
  cli::add_name(command, "--padding", padding_, rule(cli::mark("padding"), kPaddings),
                tr("Beyond the rows' ends: zeros, or edges for objects wider than the detector (default: zeros)"),
                "NAME");
  cli::add_number(command, "--size", size_, {.min = 8, .max = 65536}, tr("Pixels of a side (default: the bins)"));
  command.add_flag("--square", square_, tr("Reconstruct the corners, too, not only the circle that all rays meet"));
  command.add_option("--kernel", kernel_, "NAME", tr("Force a kernel, as avx2_fma (default: the best one)"))
      ->offers([] {
        cli::Texts names;
        for (size_t i = 0; vsh_tomo_kernel(i) != nullptr; ++i) names.emplace_back(vsh_tomo_kernel(i));
        return names;
      });
}

EnginePlan EngineOptions::plan(const PreparedScan& scan, double centre, size_t size) const {
  const ScanInfo& info = scan.info();
  vsh_tomo_geometry geometry = VSH_TOMO_GEOMETRY_INIT;
  geometry.beam = info.is_cone ? VSH_TOMO_CONE : info.is_fan ? VSH_TOMO_FAN : VSH_TOMO_PARALLEL;
  geometry.num_rows = info.is_cone ? info.num_rows : 0;
  geometry.num_angles = info.num_angles;
  geometry.angles = scan.radians().data();
  geometry.num_bins = info.num_bins;
  geometry.centre_offset = centre - static_cast<double>(info.num_bins - 1) / 2;
  geometry.source_distance = info.source_distance;
  if (info.is_cone) geometry.row_offset = info.source_row - info.middle_row();
  return make(geometry, scan.threads() > 0 ? scan.threads() : cli::default_threads(), size);
}

EnginePlan EngineOptions::plan(const std::vector<double>& radians, size_t num_bins, unsigned threads,
                               std::optional<double> centre) const {
  vsh_tomo_geometry geometry = VSH_TOMO_GEOMETRY_INIT;
  geometry.num_angles = radians.size();
  geometry.angles = radians.data();
  geometry.num_bins = num_bins;
  if (centre) geometry.centre_offset = *centre - static_cast<double>(num_bins - 1) / 2;
  return make(geometry, threads, 0);
}

void EngineOptions::check(bool is_cone) const {
  const bool iterates = algorithm == "sirt" || algorithm == "cgls" || algorithm == "tv", is_hfbp = algorithm == "hfbp";
  const std::pair<const char*, bool> ignored[] = {
      {"--filter", !filter_.empty() && iterates},
      {"--interpolation", !interpolation_.empty() && (algorithm != "fbp" || is_cone)},
      {"--quality", !quality_.empty() && !is_hfbp},
      {"--weights", !weights_.empty() && (iterates || is_hfbp || is_cone)},
      {"--padding", !padding_.empty() && iterates},
      {"--iterations", iterations_ > 0 && !iterates},
      {"--relaxation", relaxation_ && algorithm != "sirt"},
      {"--tv-weight", tv_weight_ && algorithm != "tv"},
      {"--nonnegative", nonnegative_ && algorithm != "sirt" && algorithm != "tv"}};
  for (const auto& [option, is_ignored] : ignored)
    if (is_ignored)
      throw Failure(ExitCode::usage,
                    is_cone ? tr("{1}: {2} of a cone beam does not have it", option, algorithm)
                            : tr("{1}: {2} does not have it", option, algorithm),
                    tr("leave it out, or choose another --algorithm"));
}

EnginePlan EngineOptions::make(const vsh_tomo_geometry& geometry, unsigned threads, size_t size) const {
  check(geometry.beam == VSH_TOMO_CONE);
  vsh_tomo_options options = VSH_TOMO_OPTIONS_INIT;
  options.algorithm = place_of<vsh_tomo_algorithm>(kAlgorithms, algorithm);
  options.filter = place_of<vsh_tomo_filter>(kFilters, filter_);
  options.interpolation = place_of<vsh_tomo_interpolation>(kInterpolations, interpolation_);
  options.quality = place_of<vsh_tomo_quality>(kQualities, quality_);
  options.angle_weights = place_of<vsh_tomo_angle_weights>(kWeights, weights_);
  options.padding = place_of<vsh_tomo_padding>(kPaddings, padding_);
  options.displaced = displaced_;
  options.size = size > 0 ? size : size_;
  options.whole_square = square_ ? 1 : 0;
  options.iterations = iterations_;
  if (relaxation_) options.relaxation = *relaxation_;
  if (tv_weight_) options.tv_weight = *tv_weight_;
  options.nonnegative = nonnegative_ ? 1 : 0;
  options.threads = threads;
  options.progress = progress_;
  options.progress_context = context_;
  options.kernel = kernel_.empty() ? nullptr : kernel_.c_str();
  vsh_tomo_plan* plan = nullptr;
  check_tomo(vsh_tomo_plan_new(&plan, &geometry, &options));
  return EnginePlan(plan);
}

std::vector<std::pair<std::string, std::string>> EngineOptions::steps() const {
  std::vector<std::pair<std::string, std::string>> steps = {{"algorithm", algorithm}};
  const bool is_iterative = algorithm == "sirt" || algorithm == "cgls" || algorithm == "tv";
  if (!is_iterative) {
    steps.emplace_back("filter", or_default(filter_, kFilters));
    if (algorithm == "fbp") steps.emplace_back("interpolation", or_default(interpolation_, kInterpolations));
    if (algorithm == "hfbp") steps.emplace_back("quality", or_default(quality_, kQualities));
    steps.emplace_back("padding", or_default(padding_, kPaddings));
  } else {
    steps.emplace_back("iterations", iterations_ > 0 ? std::to_string(iterations_) : "default");
    if (algorithm == "sirt") steps.emplace_back("relaxation", shown(relaxation_.value_or(1)));
    if (algorithm == "tv") steps.emplace_back("tv_weight", shown(tv_weight_.value_or(0.01)));
    if (nonnegative_) steps.emplace_back("nonnegative", "yes");
  }
  steps.emplace_back("weights", or_default(weights_, kWeights));
  if (square_) steps.emplace_back("square", "yes");
  return steps;
}

}  // namespace vsh::tomo
