// A network that gives each pixel of a square a score for each class, run by ONNX Runtime.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "programs/tomo/segmentation/onnx_model.hpp"

namespace vsh::tomo {

class Network {
 public:
  static constexpr size_t kMostClasses = 255, kMostTile = 4096;

  // runtime: the library's file; empty: that of VERSHINA_ONNXRUNTIME, else one of the usual names. The model must take
  // float32 [1, 1, n, n] and return float32 [1, classes, n, n]; n may be open. Throws a Failure for another one, and
  // where there is no ONNX Runtime.
  Network(const OnnxModel& model, const std::string& runtime, unsigned threads);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  size_t num_scores() const;           // a pixel
  size_t tile() const;                 // n; 0: any
  const std::string& version() const;  // of ONNX Runtime
  // Returns scores [class][n][n], which the next call overwrites, of values [n][n]. Throws Failure.
  const std::vector<float>& run(std::vector<float>& values, size_t n);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace vsh::tomo
