// The C ABI: checks hostile arguments, owns plans, stops exceptions.
#include <algorithm>
#include <numbers>

#include "tomography/api/checks.hpp"
#include "tomography/cone/cone.hpp"
#include "tomography/cone/fan.hpp"
#include "tomography/dfr/dfr.hpp"
#include "tomography/fbp/fbp.hpp"
#include "tomography/geometry/angles.hpp"
#include "tomography/geometry/displaced.hpp"
#include "tomography/geometry/parallel.hpp"
#include "tomography/geometry/trajectory.hpp"
#include "tomography/hfbp/hfbp.hpp"
#include "tomography/iterative/iterative.hpp"
#include "tomography/slices/registry.hpp"

using namespace vsh;
using namespace vsh::tomography;

struct vsh_tomo_plan {
  Setup setup;
  std::unique_ptr<const Reconstructor> reconstructor;
};

namespace {

constexpr unsigned kOfFiltered = VSH_TOMO_OPTION_FILTER | VSH_TOMO_OPTION_PADDING | VSH_TOMO_OPTION_DISPLACED;

// The algorithms that there are, of slices (parallel and fan) and of a cone, and the options that each reads.
constexpr struct {
  bool of_cone;
  vsh_tomo_algorithm algorithm;
  unsigned options;
} kAlgorithms[] = {
    {false, VSH_TOMO_FBP, kOfFiltered | VSH_TOMO_OPTION_INTERPOLATION | VSH_TOMO_OPTION_ANGLE_WEIGHTS},
    {true, VSH_TOMO_FBP, kOfFiltered | VSH_TOMO_OPTION_DEPTH},
    {false, VSH_TOMO_DFR, kOfFiltered | VSH_TOMO_OPTION_ANGLE_WEIGHTS},
    {false, VSH_TOMO_HFBP, kOfFiltered | VSH_TOMO_OPTION_QUALITY},
    {false, VSH_TOMO_SIRT, VSH_TOMO_OPTION_ITERATIONS | VSH_TOMO_OPTION_RELAXATION | VSH_TOMO_OPTION_NONNEGATIVE},
    {false, VSH_TOMO_CGLS, VSH_TOMO_OPTION_ITERATIONS},
    {false, VSH_TOMO_TV, VSH_TOMO_OPTION_ITERATIONS | VSH_TOMO_OPTION_TV_WEIGHT | VSH_TOMO_OPTION_NONNEGATIVE},
};

bool reads(vsh_tomo_beam beam, vsh_tomo_algorithm algorithm, vsh_tomo_option option) {
  return (vsh_tomo_options_of(beam, algorithm) & option) != 0;
}

vsh_tomo_status check_options(const vsh_tomo_options& o, vsh_tomo_beam beam) {
  if (o.struct_size != sizeof o || !within(o.algorithm, VSH_TOMO_TV) || !within(o.filter, VSH_TOMO_HANN) ||
      !within(o.interpolation, VSH_TOMO_CUBIC) || !within(o.quality, VSH_TOMO_FAST) ||
      !within(o.angle_weights, VSH_TOMO_UNIFORM) || !within(o.padding, VSH_TOMO_EDGES) ||
      !within(o.displaced, VSH_TOMO_DISPLACED_NO))
    return VSH_TOMO_E_ARGUMENT;
  if (vsh_tomo_options_of(beam, o.algorithm) == 0 || (o.algorithm == VSH_TOMO_HFBP && o.filter == VSH_TOMO_COSINE))
    return VSH_TOMO_E_COMBINATION;
  if (o.size > VSH_TOMO_MAX_BINS || o.depth > VSH_TOMO_MAX_BINS ||
      (o.depth != 0 && !reads(beam, o.algorithm, VSH_TOMO_OPTION_DEPTH)))
    return VSH_TOMO_E_SIZE;
  if (o.iterations > 1000000 || !(o.relaxation > 0 && o.relaxation < 2) || !(o.tv_weight >= 0 && o.tv_weight <= 1e30))
    return VSH_TOMO_E_PARAMETERS;
  return VSH_TOMO_OK;
}

Method method_of(const vsh_tomo_options& options, vsh_tomo_beam beam) {
  if (beam == VSH_TOMO_CONE) return Method::cone;
  switch (options.algorithm) {
    case VSH_TOMO_FBP: return Method::fbp;
    case VSH_TOMO_DFR: return Method::dfr;
    case VSH_TOMO_HFBP: return options.quality == VSH_TOMO_FAST ? Method::hfbp_fast : Method::hfbp;
    default: return Method::iterative;
  }
}

std::unique_ptr<const Reconstructor> make_parallel(const Setup& setup) {
  switch (setup.options.algorithm) {
    case VSH_TOMO_FBP: return std::make_unique<Fbp>(setup);
    case VSH_TOMO_DFR: return std::make_unique<Dfr>(setup);
    case VSH_TOMO_HFBP: return std::make_unique<Hfbp>(setup);
    default: return std::make_unique<Iterative>(setup);
  }
}

std::unique_ptr<const Reconstructor> make_reconstructor(const Setup& setup) {
  if (setup.beam == VSH_TOMO_PARALLEL) return make_parallel(setup);
  if (setup.beam == VSH_TOMO_CONE) return std::make_unique<Cone>(setup);
  return std::make_unique<Fan>(setup, make_parallel);
}

// Says whether the axis is displaced, and returns the weights of bins; none, where all count alike.
std::vector<float> weights_of_bins(Setup& setup) {
  const vsh_tomo_displaced displaced = setup.options.displaced;
  std::vector<float> weights = displaced_weights(setup.bins, setup.centre);
  setup.displaced = !weights.empty() && displaced != VSH_TOMO_DISPLACED_NO &&
                    (displaced == VSH_TOMO_DISPLACED_YES || trajectory_of(setup.angles, true).full);
  if (!setup.displaced || !reads(setup.beam, setup.options.algorithm, VSH_TOMO_OPTION_DISPLACED)) weights.clear();
  return weights;
}

// Runs a step of the pair on batches of slices.
template <class F>
vsh_tomo_status step_of_pair(const vsh_tomo_plan* plan, const float* volume, const float* projections,
                             size_t num_slices, F&& f) {
  if (!plan || !projections || !volume) return VSH_TOMO_E_ARGUMENT;
  const Setup& s = plan->setup;
  if (s.beam != VSH_TOMO_PARALLEL) return VSH_TOMO_E_COMBINATION;
  if (!addressable({num_slices, s.size, s.size}) || !addressable({s.angles.size(), num_slices, s.bins}))
    return VSH_TOMO_E_SIZE;
  return guarded([&] {
    const size_t batch = 2 * s.kernel->info.lanes;
    for (size_t first = 0; first < num_slices; first += batch) {
      const size_t count = std::min(batch, num_slices - first);
      f(Pair(s, vectors_for(*s.kernel, count)), first, count);
      Progress(s.options)(static_cast<double>(first + count) / static_cast<double>(num_slices));
    }
    return VSH_TOMO_OK;
  });
}

}  // namespace

const char* vsh_tomo_status_message(vsh_tomo_status status) {
  switch (status) {
    case VSH_TOMO_OK: return "success";
    case VSH_TOMO_E_ARGUMENT: return "invalid argument";
    case VSH_TOMO_E_SIZE: return "a size is zero or too large";
    case VSH_TOMO_E_ANGLES: return "no angles, too many angles, or an angle that is not a number";
    case VSH_TOMO_E_GEOMETRY:
      return "the axis or the source is not where it can be, or the angles do not cover the fan";
    case VSH_TOMO_E_PARAMETERS: return "iterations, relaxation, weight or another parameter out of range";
    case VSH_TOMO_E_COMBINATION: return "the algorithm does not exist for this beam or with this filter";
    case VSH_TOMO_E_KERNEL_UNKNOWN: return "no kernel of that name in this build";
    case VSH_TOMO_E_KERNEL_CPU: return "this CPU cannot run that kernel";
    case VSH_TOMO_E_MEMORY: return "out of memory";
    case VSH_TOMO_E_STOPPED: return "stopped by the caller";
    case VSH_TOMO_E_VALUES: return "a value is not a finite number";
    case VSH_TOMO_E_CENTRE: return "the axis of rotation cannot be found";
  }
  return "unknown status";
}

vsh_tomo_status vsh_tomo_whole_turn(int* is_whole, const double* angles, size_t num_angles) {
  if (!is_whole) return VSH_TOMO_E_ARGUMENT;
  if (const vsh_tomo_status status = check_angles(angles, num_angles); status != VSH_TOMO_OK) return status;
  return guarded([&] {
    *is_whole = trajectory_of({angles, num_angles}, true).full ? 1 : 0;
    return VSH_TOMO_OK;
  });
}

unsigned vsh_tomo_options_of(vsh_tomo_beam beam, vsh_tomo_algorithm algorithm) {
  if (!within(beam, VSH_TOMO_CONE) || !within(algorithm, VSH_TOMO_TV)) return 0;
  for (const auto& row : kAlgorithms)
    if (row.algorithm == algorithm && row.of_cone == (beam == VSH_TOMO_CONE)) return row.options;
  return 0;
}

vsh_tomo_status vsh_tomo_plan_new(vsh_tomo_plan** plan, const vsh_tomo_geometry* geometry,
                                  const vsh_tomo_options* options) {
  const vsh_tomo_options defaults = VSH_TOMO_OPTIONS_INIT;
  const vsh_tomo_options& o = options ? *options : defaults;
  if (!plan || !geometry) return VSH_TOMO_E_ARGUMENT;
  if (const vsh_tomo_status status = check_geometry(*geometry); status != VSH_TOMO_OK) return status;
  if (const vsh_tomo_status status = check_options(o, geometry->beam); status != VSH_TOMO_OK) return status;
  const SliceChoice choice = choose_slice_kernel(o.kernel ? o.kernel : "", method_of(o, geometry->beam));
  if (!choice.row) return choice.status == Choice::cpu ? VSH_TOMO_E_KERNEL_CPU : VSH_TOMO_E_KERNEL_UNKNOWN;

  return guarded([&] {
    auto made = std::make_unique<vsh_tomo_plan>();
    Setup& s = made->setup;
    s.options = o;
    s.options.kernel = nullptr;
    s.beam = geometry->beam;
    s.angles.assign(geometry->angles, geometry->angles + geometry->num_angles);
    s.bins = geometry->num_bins;
    s.centre = (static_cast<double>(s.bins) - 1) / 2 + geometry->centre_offset;
    std::vector<float> bins = weights_of_bins(s);
    s.weights = o.angle_weights == VSH_TOMO_GAPS
                    ? gap_weights(s.angles, (bins.empty() ? 1 : 2) * std::numbers::pi)
                    : std::vector<double>(s.angles.size(), std::numbers::pi / static_cast<double>(s.angles.size()));
    s.source_distance = geometry->source_distance;
    s.rows = geometry->num_rows;
    s.source_row = (static_cast<double>(s.rows) - 1) / 2 + geometry->row_offset;
    s.size = o.size ? o.size : s.bins;
    s.depth = o.depth ? o.depth : s.rows;
    s.kernel = choice.row;
    if (bins.empty()) made->reconstructor = make_reconstructor(s);
    else made->reconstructor = std::make_unique<Displaced>(s, std::move(bins), make_reconstructor);
    *plan = made.release();
    return VSH_TOMO_OK;
  });
}

void vsh_tomo_plan_free(vsh_tomo_plan* plan) { delete plan; }

vsh_tomo_status vsh_tomo_reconstruct(vsh_tomo_plan* plan, float* volume, const float* projections, size_t angle_stride,
                                     size_t num_slices) {
  if (!plan || !volume || !projections) return VSH_TOMO_E_ARGUMENT;
  const Setup& s = plan->setup;
  const bool cone = s.beam == VSH_TOMO_CONE;
  const size_t rows = cone ? s.rows : num_slices;
  if (!addressable({num_slices, s.size, s.size}) || !addressable({s.angles.size(), rows, s.bins}))
    return VSH_TOMO_E_SIZE;
  if (cone && num_slices != s.depth) return VSH_TOMO_E_SIZE;
  if (angle_stride == 0) angle_stride = rows * s.bins;
  if (angle_stride < rows * s.bins || !addressable({s.angles.size(), angle_stride})) return VSH_TOMO_E_SIZE;
  return guarded([&] {
    plan->reconstructor->run(volume, {projections, angle_stride}, num_slices, Progress(s.options));
    return VSH_TOMO_OK;
  });
}

size_t vsh_tomo_plan_batch(const vsh_tomo_plan* plan) { return plan ? plan->reconstructor->batch() : 0; }
uint64_t vsh_tomo_plan_memory(const vsh_tomo_plan* plan, size_t num_slices) {
  return plan ? plan->reconstructor->memory(num_slices) : 0;
}
size_t vsh_tomo_plan_size(const vsh_tomo_plan* plan) { return plan ? plan->setup.size : 0; }
const char* vsh_tomo_plan_kernel(const vsh_tomo_plan* plan) {
  return plan ? plan->setup.kernel->info.variant : nullptr;
}

vsh_tomo_status vsh_tomo_plan_weights(const vsh_tomo_plan* plan, double* weights) {
  if (!plan || !weights) return VSH_TOMO_E_ARGUMENT;
  std::copy(plan->setup.weights.begin(), plan->setup.weights.end(), weights);
  return VSH_TOMO_OK;
}

vsh_tomo_status vsh_tomo_filter_rows(vsh_tomo_plan* plan, float* out, const float* in, size_t num_slices) {
  if (!plan || !out || !in) return VSH_TOMO_E_ARGUMENT;
  const Setup& s = plan->setup;
  if (s.beam != VSH_TOMO_PARALLEL) return VSH_TOMO_E_COMBINATION;
  if (!addressable({s.angles.size(), num_slices, s.bins})) return VSH_TOMO_E_SIZE;
  return guarded([&] {
    const RowFilter filter(s);
    const size_t each = 2 * s.kernel->info.lanes;
    in_parallel(s.angles.size(), s.threads(), Progress(s.options), [&](size_t begin, size_t end, const auto& step) {
      Buffer scratch(filter.scratch());
      std::vector<const float*> from(each);
      std::vector<float*> to(each);
      for (size_t a = begin; a < end; ++a) {
        for (size_t first = 0; first < num_slices; first += each) {
          const size_t count = std::min(each, num_slices - first);
          for (size_t i = 0; i < count; ++i) {
            from[i] = in + (a * num_slices + first + i) * s.bins;
            to[i] = out + (a * num_slices + first + i) * s.bins;
          }
          const float* const filtered = filter.run(scratch.data(), from.data(), count, 1);
          s.kernel->deinterleave(to.data(), filtered, s.bins, each, count);
        }
        step();
      }
    });
    return VSH_TOMO_OK;
  });
}

vsh_tomo_status vsh_tomo_project(vsh_tomo_plan* plan, float* projections, const float* volume, size_t num_slices) {
  return step_of_pair(plan, volume, projections, num_slices, [&](const Pair& pair, size_t first, size_t count) {
    const Setup& s = plan->setup;
    Bundles image(pair.tiles_floats()), rows(pair.rows_floats());
    pair.load_tiles(image, volume + first * s.size * s.size, count);
    pair.project(rows, image);
    for (size_t a = 0; a < s.angles.size(); ++a)
      pair.store_row(projections + (a * num_slices + first) * s.bins, rows, a, count);
  });
}

vsh_tomo_status vsh_tomo_back_project(vsh_tomo_plan* plan, float* volume, const float* projections, size_t num_slices) {
  return step_of_pair(plan, volume, projections, num_slices, [&](const Pair& pair, size_t first, size_t count) {
    const Setup& s = plan->setup;
    Bundles image(pair.tiles_floats()), rows(pair.rows_floats());
    pair.load_rows(rows, {projections, num_slices * s.bins}, first, count);
    pair.back_project(image, rows);
    pair.store_tiles(volume + first * s.size * s.size, image, count);
  });
}

const char* vsh_tomo_kernel(size_t index) {
  return index < slice_kernels().size() ? slice_kernels()[index]->info.variant : nullptr;
}
int vsh_tomo_kernel_runnable(size_t index) {
  return index < slice_kernels().size() && runnable(slice_kernels()[index]->info) ? 1 : 0;
}
