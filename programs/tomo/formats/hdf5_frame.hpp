// An HDF5 file around one large data set, whose numbers are written later as plain bytes: so they go through the same
// output as every other format's, in order, sealed if wanted, and a full disk meets no library that keeps state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs/tomo/formats/bytes.hpp"

namespace vsh::tomo {

struct Hdf5Layout {
  struct Text {
    std::string path, text;  // a data set
  };
  struct Attribute {
    std::string path, name, text;
  };
  struct Array {
    std::string path;
    std::vector<uint64_t> sizes;  // empty: one number
    std::vector<double> numbers;
    bool is_float = false;  // stored as float32
  };
  std::vector<Text> texts;
  std::vector<Array> arrays;
  std::vector<Attribute> attributes;
  std::string path;             // the large data set of float32
  std::vector<uint64_t> sizes;  // its sizes
};

struct Hdf5Frame {
  Bytes head;        // before the numbers
  uint64_t len = 0;  // bytes of the numbers, little-endian float32
  Bytes tail;        // after them
};

// Throws Failure: no such library in this build; no memory for the sizes.
Hdf5Frame hdf5_frame(const Hdf5Layout& layout);

}  // namespace vsh::tomo
