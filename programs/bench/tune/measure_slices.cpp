#include "programs/bench/tune/measure_slices.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <numbers>

#include "measure/affinity.hpp"
#include "measure/sampler.hpp"
#include "vershina/tomography.h"

namespace vsh::tomography {
namespace {

size_t part_of_cone(size_t number) { return std::max<size_t>(number / 4, 8); }

// A work as a caller asks for it.
struct Example {
  vsh_tomo_geometry geometry = VSH_TOMO_GEOMETRY_INIT;
  vsh_tomo_options options = VSH_TOMO_OPTIONS_INIT;
  std::vector<double> angles;

  Example(Method work, const TuningSize& size) {
    const bool is_cone = work == Method::cone;
    const auto part = [&](size_t number) { return is_cone ? part_of_cone(number) : number; };
    geometry.num_bins = part(size.bins);
    for (size_t i = 0, num = part(size.projections); i < num; ++i)
      angles.push_back((is_cone ? 2 : 1) * std::numbers::pi * static_cast<double>(i) / static_cast<double>(num));
    geometry.num_angles = angles.size();
    geometry.angles = angles.data();
    if (is_cone) {
      geometry.beam = VSH_TOMO_CONE;
      geometry.source_distance = 4 * static_cast<double>(geometry.num_bins);
      geometry.num_rows = geometry.num_bins;
    }
    options.algorithm = work == Method::dfr                                 ? VSH_TOMO_DFR
                        : work == Method::hfbp || work == Method::hfbp_fast ? VSH_TOMO_HFBP
                        : work == Method::iterative                         ? VSH_TOMO_SIRT
                                                                            : VSH_TOMO_FBP;
    if (work == Method::hfbp_fast) options.quality = VSH_TOMO_FAST;
    options.iterations = 1;  // each costs the same
  }
};

struct FreePlan {
  void operator()(vsh_tomo_plan* plan) const { vsh_tomo_plan_free(plan); }
};

MeasuredMethod measure_method(const measure::Sampler& sampler, Method work, const TuningSize& size) {
  constexpr size_t kLeastSlices = 32;
  const bool is_cone = work == Method::cone;
  Example example(work, size);
  const size_t n = example.geometry.num_bins;
  MeasuredMethod measured{work, {}};
  std::vector<std::unique_ptr<vsh_tomo_plan, FreePlan>> plans;
  std::vector<size_t> slices;
  for (size_t i = 0; vsh_tomo_kernel(i); ++i) {
    if (!vsh_tomo_kernel_runnable(i)) continue;
    example.options.kernel = vsh_tomo_kernel(i);
    vsh_tomo_plan* plan = nullptr;
    if (vsh_tomo_plan_new(&plan, &example.geometry, &example.options) != VSH_TOMO_OK) throw std::bad_alloc();
    plans.emplace_back(plan);
    // Whole batches of this row, some 32 slices: what a call does once must not weigh more for one row.
    slices.push_back(is_cone ? example.geometry.num_rows : std::max(vsh_tomo_plan_batch(plan), kLeastSlices));
    measured.rows.push_back({i, vsh_tomo_kernel(i), 0, 0, 0});
  }
  const size_t most = *std::max_element(slices.begin(), slices.end());
  std::vector<float> projections(example.angles.size() * most * n), volume(most * n * n);
  for (size_t i = 0; i < projections.size(); ++i) projections[i] = static_cast<float>(1 + i % 7);
  std::vector<std::function<void()>> runs;
  for (size_t i = 0; i < plans.size(); ++i)
    runs.push_back([&, i] {
      if (vsh_tomo_reconstruct(plans[i].get(), volume.data(), projections.data(), 0, slices[i]) != VSH_TOMO_OK)
        throw std::bad_alloc();
    });
  const std::vector<measure::Cost> costs = sampler.measure(runs, 1);
  for (size_t i = 0; i < costs.size(); ++i) {
    const double number = static_cast<double>(slices[i]);
    measured.rows[i].cycles = costs[i].core_cycles / number;
    measured.rows[i].seconds = costs[i].cpu_seconds / number;
    measured.rows[i].spread = costs[i].spread;
  }
  return measured;
}

}  // namespace

uint64_t tuning_memory(const TuningSize& size) {
  constexpr uint64_t kMostSlices = 64;  // batches of the widest row
  const uint64_t n = size.bins, parallel = kMostSlices * n * (2 * size.projections + 4 * n);
  const uint64_t m = part_of_cone(n), cone = m * m * (2 * part_of_cone(size.projections) + 2 * m);
  return sizeof(float) * std::max(parallel, cone);
}

std::vector<MeasuredMethod> measure_works(const TuningSize& size, double seconds,
                                          const std::function<void(const std::string&)>& show) {
  measure::Affinity affinity;
  const auto processors = affinity.processors();
  if (!processors.empty()) affinity.pin(processors.back());
  const measure::Sampler sampler(measure::calibrate(), seconds);
  std::vector<MeasuredMethod> works;
  for (size_t i = 0; i < kNumMethods; ++i) {
    show(std::string(kMethodNames[i]));
    works.push_back(measure_method(sampler, static_cast<Method>(i), size));
  }
  return works;
}

SliceCosts costs_of(const std::vector<MeasuredMethod>& works) {
  SliceCosts costs;
  for (const MeasuredMethod& measured : works)
    for (const MeasuredRow& row : measured.rows)
      costs.of[row.index][static_cast<size_t>(measured.work)] =
          static_cast<uint64_t>(std::clamp(std::round(row.cycles), 1.0, static_cast<double>(kMaxCost)));
  return costs;
}

}  // namespace vsh::tomography
