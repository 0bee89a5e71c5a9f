// An array of numbers in a file, one after another: NumPy's .npy in C order, without any header, or behind another one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "programs/common/files/input_file.hpp"
#include "programs/common/files/output_file.hpp"
#include "programs/tomo/formats/elements.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {

class ArrayFile {
 public:
  // Reads the header of a .npy file. Throws Failure.
  static ArrayFile npy(const FileName& name);
  // shape[0] of 0: as many as the file has. Throws a Failure if the file has another length.
  static ArrayFile raw(const FileName& name, Element element, uint64_t offset, std::array<uint64_t, 3> shape);

  // Numbers whose header was read elsewhere; more may follow. Throws a Failure if the file is shorter.
  static ArrayFile plain(const FileName& name, Element element, uint64_t offset, std::array<uint64_t, 3> shape);

  const std::vector<uint64_t>& shape() const { return shape_; }
  // Shape of three dimensions: a row of [frame][bin] and a frame of [row][bin] get ones. `two`: what two are.
  enum class Two { sinogram, frame };
  std::array<uint64_t, 3> shape3(Two two) const;
  Element element() const { return element_; }
  const std::string& name() const { return input_.name(); }
  cli::ReadFile file() const { return {input_.name(), input_.status()}; }

  // Reads `num` numbers from index `first` on. Throws Failure.
  void read(float* out, uint64_t first, size_t num);
  // Reads [frame][row][bin] of rows `first`, ... of all frames.
  void read_rows(float* out, const std::array<uint64_t, 3>& shape, size_t first, size_t num_rows);

 private:
  explicit ArrayFile(const FileName& name) : input_(open_regular(name)) {}

  cli::InputFile input_;
  Element element_;
  uint64_t offset_ = 0;
  std::vector<uint64_t> shape_;
  std::vector<uint8_t> piece_;
};

}  // namespace vsh::tomo
