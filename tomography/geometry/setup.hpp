// The parts of a plan, after the checks of the API.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "tomography/slices/kernel.hpp"
#include "vershina/tomography.h"

namespace vsh::tomography {

struct Setup {
  vsh_tomo_options options{};  // checked; its pointers other than progress are not used
  vsh_tomo_beam beam{};
  std::vector<double> angles;  // radians
  std::vector<double> weights;
  size_t bins = 0;
  double centre = 0;       // bin of the axis
  bool displaced = false;  // it is off the middle, and the angles are a whole turn, or parts of one
  double source_distance = 0;
  size_t rows = 0;        // cone
  double source_row = 0;  // cone: level with the source
  size_t size = 0;        // n
  size_t depth = 0;
  const SliceKernel* kernel = nullptr;

  unsigned threads() const { return options.threads; }
};

// Thrown when the caller's progress function says so.
struct Stopped {};

// The angles do not cover the fan, or the source is within the image.
struct GeometryError {};

// The share of the work that is done, reported from the calling thread.
class Progress {
 public:
  explicit Progress(const vsh_tomo_options& options) : options_(&options) {}
  void report(double done) const {
    if (options_->progress && options_->progress(options_->progress_context, done) != 0) throw Stopped();
  }
  // Returns a progress that reports within a part of this one.
  Progress part(double begin, double end) const {
    Progress p(*this);
    p.begin_ = begin_ + (end_ - begin_) * begin;
    p.end_ = begin_ + (end_ - begin_) * end;
    return p;
  }
  void operator()(double done) const { report(begin_ + (end_ - begin_) * done); }

 private:
  const vsh_tomo_options* options_;
  double begin_ = 0, end_ = 1;
};

// Projections of consecutive rows of all angles, in the caller's memory.
struct Projections {
  const float* data;
  size_t angle_stride;  // floats
  const float* row(size_t angle, size_t row, size_t bins) const { return data + angle * angle_stride + row * bins; }
};

// An algorithm with its tables.
class Reconstructor {
 public:
  virtual ~Reconstructor() = default;
  virtual void run(float* volume, Projections projections, size_t num_slices, const Progress& progress) const = 0;
  // Slices that are done together.
  virtual size_t batch() const = 0;
  // Bytes of tables and of buffers of run.
  virtual uint64_t memory(size_t num_slices) const = 0;
};

}  // namespace vsh::tomography
