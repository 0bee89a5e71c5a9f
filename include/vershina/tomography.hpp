// Vershina's tomography for C++20: spans and RAII over tomography.h. Header only; it calls the C ABI.
//
//   vershina::tomography::Geometry geometry(angles, num_bins);
//   vershina::tomography::Plan plan(geometry);
//   std::vector<float> volume = plan.reconstruct(projections, num_slices);
//
// The conventions of tomography.h apply. Errors are thrown as vershina::tomography::Error.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_TOMOGRAPHY_HPP
#define VERSHINA_TOMOGRAPHY_HPP

#include <vershina/tomography.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace vershina::tomography {

class Error : public std::runtime_error {
 public:
  explicit Error(vsh_tomo_status status) : std::runtime_error(vsh_tomo_status_message(status)), status_(status) {}
  vsh_tomo_status status() const noexcept { return status_; }

 private:
  vsh_tomo_status status_;
};

inline void check(vsh_tomo_status status) {
  if (status != VSH_TOMO_OK) throw Error(status);
}

// vsh_tomo_geometry with defaults. The angles must live until the plan is made.
struct Geometry : vsh_tomo_geometry {
  Geometry() noexcept : vsh_tomo_geometry VSH_TOMO_GEOMETRY_INIT {}
  Geometry(std::span<const double> radians, size_t bins) noexcept : Geometry() {
    angles = radians.data();
    num_angles = radians.size();
    num_bins = bins;
  }
};

// vsh_tomo_options with defaults.
struct Options : vsh_tomo_options {
  Options() noexcept : vsh_tomo_options VSH_TOMO_OPTIONS_INIT {}
};

class Plan {
 public:
  explicit Plan(const vsh_tomo_geometry& geometry, const vsh_tomo_options& options = Options()) : geometry_(geometry) {
    geometry_.angles = nullptr;
    vsh_tomo_plan* plan = nullptr;
    check(vsh_tomo_plan_new(&plan, &geometry, &options));
    plan_.reset(plan);
  }

  // Reconstructs into volume, num_slices * size() * size() floats. angle_stride: as in vsh_tomo_reconstruct.
  void reconstruct(std::span<float> volume, std::span<const float> projections, size_t num_slices,
                   size_t angle_stride = 0) {
    need(volume.size() >= num_slices * size() * size());
    const size_t rows = (geometry_.beam == VSH_TOMO_CONE ? geometry_.num_rows : num_slices) * geometry_.num_bins;
    need(projections.size() >= (geometry_.num_angles - 1) * (angle_stride ? angle_stride : rows) + rows);
    check(vsh_tomo_reconstruct(plan_.get(), volume.data(), projections.data(), angle_stride, num_slices));
  }
  std::vector<float> reconstruct(std::span<const float> projections, size_t num_slices) {
    std::vector<float> volume(num_slices * size() * size());
    reconstruct(volume, projections, num_slices);
    return volume;
  }

  void project(std::span<float> projections, std::span<const float> volume, size_t num_slices) {
    need(projections.size() >= num_slices * values() && volume.size() >= num_slices * size() * size());
    check(vsh_tomo_project(plan_.get(), projections.data(), volume.data(), num_slices));
  }
  void back_project(std::span<float> volume, std::span<const float> projections, size_t num_slices) {
    need(projections.size() >= num_slices * values() && volume.size() >= num_slices * size() * size());
    check(vsh_tomo_back_project(plan_.get(), volume.data(), projections.data(), num_slices));
  }
  void filter_rows(std::span<float> out, std::span<const float> in, size_t num_slices) {
    need(out.size() >= num_slices * values() && in.size() >= num_slices * values());
    check(vsh_tomo_filter_rows(plan_.get(), out.data(), in.data(), num_slices));
  }

  size_t size() const noexcept { return vsh_tomo_plan_size(plan_.get()); }
  size_t batch() const noexcept { return vsh_tomo_plan_batch(plan_.get()); }
  uint64_t memory(size_t num_slices) const noexcept { return vsh_tomo_plan_memory(plan_.get(), num_slices); }
  std::string_view kernel() const noexcept {
    const char* const name = vsh_tomo_plan_kernel(plan_.get());
    return name != nullptr ? name : "";
  }
  std::vector<double> weights() const {  // of the angles
    std::vector<double> weights(geometry_.num_angles);
    check(vsh_tomo_plan_weights(plan_.get(), weights.data()));
    return weights;
  }

 private:
  struct Free {
    void operator()(vsh_tomo_plan* plan) const noexcept { vsh_tomo_plan_free(plan); }
  };
  static void need(bool condition) {
    if (!condition) throw Error(VSH_TOMO_E_SIZE);
  }

  size_t values() const noexcept { return geometry_.num_angles * geometry_.num_bins; }  // of a slice's sinogram

  std::unique_ptr<vsh_tomo_plan, Free> plan_;
  vsh_tomo_geometry geometry_;
};

// Preparation, in place. Members that count values return how many there were.
class Scan {
 public:
  // projections: num_angles * num_rows * num_bins floats, which must live as long as this.
  Scan(std::span<float> projections, size_t num_angles, size_t num_rows, size_t num_bins)
      : data_(projections.data()), angles_(num_angles), rows_(num_rows), bins_(num_bins) {
    if (num_rows == 0 || num_bins == 0 || projections.size() / num_rows / num_bins < num_angles)
      throw Error(VSH_TOMO_E_SIZE);
  }

  // white, dark: num_rows * num_bins floats; no dark ones: zeros.
  uint64_t normalise(std::span<const float> white, std::span<const float> dark = {}) {
    need_frame(white);
    if (!dark.empty()) need_frame(dark);
    uint64_t found = 0;
    check(vsh_tomo_normalise(data_, angles_, rows_, bins_, white.data(), dark.empty() ? nullptr : dark.data(), &found));
    return found;
  }
  uint64_t fill_gaps() {
    uint64_t found = 0;
    check(vsh_tomo_fill_gaps(data_, angles_, rows_, bins_, &found));
    return found;
  }
  // least: num_rows * num_bins floats, or none: 1e-6.
  uint64_t minus_log(std::span<const float> least = {}) {
    if (!least.empty()) need_frame(least);
    uint64_t found = 0;
    check(vsh_tomo_minus_log(data_, angles_, rows_, bins_, least.empty() ? nullptr : least.data(), &found));
    return found;
  }
  void retrieve_phase(double delta_beta, double energy_kev, double distance_mm, double pixel_mm, unsigned threads = 1) {
    check(
        vsh_tomo_retrieve_phase(data_, angles_, rows_, bins_, delta_beta, energy_kev, distance_mm, pixel_mm, threads));
  }
  uint64_t remove_zingers(double threshold, unsigned threads = 1) {
    uint64_t found = 0;
    check(vsh_tomo_remove_zingers(data_, angles_, rows_, bins_, threshold, threads, &found));
    return found;
  }
  void remove_stripes_sorting(size_t window = 0, unsigned threads = 1) {
    check(vsh_tomo_remove_stripes_sorting(data_, angles_, rows_, bins_, window, threads));
  }
  void remove_stripes_wavelet(double sigma = 2, unsigned threads = 1) {
    check(vsh_tomo_remove_stripes_wavelet(data_, angles_, rows_, bins_, sigma, threads));
  }

 private:
  void need_frame(std::span<const float> frame) const {
    if (frame.size() < rows_ * bins_) throw Error(VSH_TOMO_E_SIZE);
  }

  float* data_;
  size_t angles_, rows_, bins_;
};

struct Axis {
  double centre_offset, confidence;
};

// Finds the axis from one row. angle_stride: as in vsh_tomo_find_centre.
inline Axis find_centre(std::span<const float> projections, const vsh_tomo_geometry& geometry,
                        vsh_tomo_centre_method method = VSH_TOMO_CENTRE_AUTO, size_t angle_stride = 0) {
  const size_t stride = angle_stride ? angle_stride : geometry.num_bins;
  if (geometry.num_angles == 0 || projections.size() < geometry.num_bins ||
      (projections.size() - geometry.num_bins) / (stride ? stride : 1) < geometry.num_angles - 1)
    throw Error(VSH_TOMO_E_SIZE);
  Axis axis{};
  check(
      vsh_tomo_find_centre(&axis.centre_offset, &axis.confidence, projections.data(), angle_stride, &geometry, method));
  return axis;
}

}  // namespace vershina::tomography

#endif
