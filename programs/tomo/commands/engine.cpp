#include "programs/tomo/commands/engine.hpp"

#include <new>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

constexpr Word<vsh_tomo_algorithm> kAlgorithms[] = {{"fbp", VSH_TOMO_FBP},   {"dfr", VSH_TOMO_DFR},
                                                    {"hfbp", VSH_TOMO_HFBP}, {"sirt", VSH_TOMO_SIRT},
                                                    {"cgls", VSH_TOMO_CGLS}, {"tv", VSH_TOMO_TV}};
constexpr Word<vsh_tomo_filter> kFilters[] = {{"ram-lak", VSH_TOMO_RAM_LAK},
                                              {"shepp-logan", VSH_TOMO_SHEPP_LOGAN},
                                              {"cosine", VSH_TOMO_COSINE},
                                              {"hamming", VSH_TOMO_HAMMING},
                                              {"hann", VSH_TOMO_HANN}};
constexpr Word<vsh_tomo_interpolation> kInterpolations[] = {{"linear", VSH_TOMO_LINEAR}, {"cubic", VSH_TOMO_CUBIC}};
constexpr Word<vsh_tomo_quality> kQualities[] = {{"accurate", VSH_TOMO_ACCURATE}, {"fast", VSH_TOMO_FAST}};
constexpr Word<vsh_tomo_angle_weights> kWeights[] = {{"gaps", VSH_TOMO_GAPS}, {"uniform", VSH_TOMO_UNIFORM}};
constexpr Word<vsh_tomo_padding> kPaddings[] = {{"zeros", VSH_TOMO_ZEROS}, {"edges", VSH_TOMO_EDGES}};

// The options that not every algorithm reads.
constexpr std::pair<vsh_tomo_option, const char*> kOfSome[] = {
    {VSH_TOMO_OPTION_FILTER, "--filter"},          {VSH_TOMO_OPTION_INTERPOLATION, "--interpolation"},
    {VSH_TOMO_OPTION_QUALITY, "--quality"},        {VSH_TOMO_OPTION_ANGLE_WEIGHTS, "--weights"},
    {VSH_TOMO_OPTION_PADDING, "--padding"},        {VSH_TOMO_OPTION_ITERATIONS, "--iterations"},
    {VSH_TOMO_OPTION_RELAXATION, "--relaxation"},  {VSH_TOMO_OPTION_TV_WEIGHT, "--tv-weight"},
    {VSH_TOMO_OPTION_NONNEGATIVE, "--nonnegative"}};

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

void PlanOptions::add_to(cli::Command& command) {
  add_word(command, "-a,--algorithm", options_.algorithm, cli::mark("algorithm"), kAlgorithms,
           tr("fbp, dfr, hfbp, sirt, cgls or tv (default: fbp)"), "NAME");
  add_fbp_to(command);
  add_word(command, "--quality", options_.quality, cli::mark("quality"), kQualities,
           tr("Variant of hfbp: accurate or fast (default: accurate)"), "NAME");
  add_word(command, "--weights", options_.angle_weights, cli::mark("kind of weights"), kWeights,
           tr("Weights of angles: gaps, by the gaps between them, or uniform (default: gaps)"), "NAME");
  cli::add_number(command, "--iterations", options_.iterations, {.min = 1, .max = 100000},
                  tr("Iterations of sirt, cgls and tv (default: 100, 20, 200)"));
  add_positive(command, "--relaxation", options_.relaxation, 0.001, 1.999, "L", tr("Relaxation of sirt (default: 1)"));
  add_positive(command, "--tv-weight", options_.tv_weight, 0, 1e6, "W",
               tr("Weight of the total variation in tv (default: 0.01)"));
  command.add_flag("--nonnegative", options_.nonnegative, tr("Sirt and tv: keep values at or above 0"));
}

void PlanOptions::add_fbp_to(cli::Command& command) {
  command_ = &command;
  add_word(command, "--filter", options_.filter, cli::mark("filter"), kFilters,
           tr("ram-lak, shepp-logan, cosine (not hfbp), hamming or hann (default: ram-lak)"), "NAME");
  add_word(command, "--interpolation", options_.interpolation, cli::mark("interpolation"), kInterpolations,
           tr("Interpolation of fbp: linear or cubic (default: linear)"), "NAME");
  add_word(command, "--padding", options_.padding, cli::mark("padding"), kPaddings,
           tr("Beyond the rows' ends: zeros, or edges for objects wider than the detector (default: zeros)"), "NAME");
  cli::add_number(command, "--size", options_.size, {.min = 8, .max = 65536},
                  tr("Pixels of a side (default: the bins)"));
  command.add_flag("--square", options_.whole_square,
                   tr("Reconstruct the corners, too, not only the circle that all rays meet"));
  command.add_option("--kernel", kernel_, "NAME", tr("Force a kernel, as avx2_fma (default: the best one)"))
      ->offers([] {
        cli::Texts names;
        for (size_t i = 0; vsh_tomo_kernel(i) != nullptr; ++i) names.emplace_back(vsh_tomo_kernel(i));
        return names;
      });
}

EnginePlan PlanOptions::plan(const PreparedScan& scan, double centre) const {
  const ScanInfo& info = scan.info();
  vsh_tomo_geometry geometry = VSH_TOMO_GEOMETRY_INIT;
  geometry.beam = info.beam;
  geometry.num_angles = info.num_angles;
  geometry.angles = scan.radians().data();
  geometry.num_bins = info.num_bins;
  geometry.centre_offset = centre - static_cast<double>(info.num_bins - 1) / 2;
  geometry.source_distance = info.source_distance;
  if (info.beam == VSH_TOMO_CONE) {
    geometry.num_rows = info.num_rows;
    geometry.row_offset = info.source_row - info.middle_row();
  }
  return make(geometry, scan.threads());
}

EnginePlan PlanOptions::plan(const std::vector<double>& radians, size_t num_bins, unsigned threads,
                             std::optional<double> centre) const {
  vsh_tomo_geometry geometry = VSH_TOMO_GEOMETRY_INIT;
  geometry.num_angles = radians.size();
  geometry.angles = radians.data();
  geometry.num_bins = num_bins;
  if (centre) geometry.centre_offset = *centre - static_cast<double>(num_bins - 1) / 2;
  return make(geometry, threads);
}

void PlanOptions::check(vsh_tomo_beam beam) const {
  const unsigned read = vsh_tomo_options_of(beam, options_.algorithm);
  if (read == 0) return;  // the library refuses the algorithm itself
  for (const auto& [what, name] : kOfSome) {
    const cli::Option* const option = command_ != nullptr ? command_->find(name) : nullptr;
    if (option == nullptr || option->count() == 0 || (read & what) != 0) continue;
    const std::string algorithm = word_of(kAlgorithms, options_.algorithm);
    throw Failure(ExitCode::usage,
                  beam == VSH_TOMO_CONE ? tr("{1}: {2} of a cone beam does not have it", name, algorithm)
                                        : tr("{1}: {2} does not have it", name, algorithm),
                  tr("leave it out, or choose another --algorithm"));
  }
}

EnginePlan PlanOptions::make(const vsh_tomo_geometry& geometry, unsigned threads) const {
  check(geometry.beam);
  vsh_tomo_options options = options_;
  options.threads = threads;
  options.kernel = kernel_.empty() ? nullptr : kernel_.c_str();
  vsh_tomo_plan* plan = nullptr;
  check_tomo(vsh_tomo_plan_new(&plan, &geometry, &options));
  return EnginePlan(plan);
}

std::vector<std::pair<std::string, std::string>> PlanOptions::steps() const {
  const vsh_tomo_options& o = options_;
  std::vector<std::pair<std::string, std::string>> steps = {{"algorithm", word_of(kAlgorithms, o.algorithm)}};
  // Options of slices are listed for a cone, too.
  const unsigned read = vsh_tomo_options_of(VSH_TOMO_PARALLEL, o.algorithm);
  const auto add = [&](vsh_tomo_option what, const char* word, const std::string& value) {
    if ((read & what) != 0) steps.emplace_back(word, value);
  };
  add(VSH_TOMO_OPTION_FILTER, "filter", word_of(kFilters, o.filter));
  add(VSH_TOMO_OPTION_INTERPOLATION, "interpolation", word_of(kInterpolations, o.interpolation));
  add(VSH_TOMO_OPTION_QUALITY, "quality", word_of(kQualities, o.quality));
  add(VSH_TOMO_OPTION_PADDING, "padding", word_of(kPaddings, o.padding));
  add(VSH_TOMO_OPTION_ITERATIONS, "iterations", o.iterations > 0 ? std::to_string(o.iterations) : "default");
  add(VSH_TOMO_OPTION_RELAXATION, "relaxation", shown(o.relaxation));
  add(VSH_TOMO_OPTION_TV_WEIGHT, "tv_weight", shown(o.tv_weight));
  if (o.nonnegative != 0) add(VSH_TOMO_OPTION_NONNEGATIVE, "nonnegative", "yes");
  steps.emplace_back("weights", word_of(kWeights, o.angle_weights));
  if (o.whole_square != 0) steps.emplace_back("square", "yes");
  return steps;
}

}  // namespace vsh::tomo
