// HDF5 files as they are read here: every answer of the library is checked, and every size is bounded before memory is
// taken for it. A scan may be spread over files (external links, virtual data sets), but only over such in its own
// folder or below, sources of sources included; numbers in a file without a format of its own (external storage) are
// refused. The library would search for such files, in the folder that the program runs in and wherever HDF5_EXT_PREFIX
// and HDF5_VDS_PREFIX say: each file that it opens passes through a driver that checks it.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "programs/common/files/output_file.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {

// Owns an identifier of the library.
class Hdf5Id {
 public:
  explicit Hdf5Id(hid_t id = -1) : id_(id) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Hdf5Id() {
    if (id_ >= 0) (void)H5Idec_ref(id_);
  }
  hid_t get() const { return id_; }
  bool is_valid() const { return id_ >= 0; }

 private:
  hid_t id_;
};

// Turns the library's own messages off.
void quiet_hdf5();

using Sizes = std::vector<uint64_t>;

class Hdf5File {
 public:
  explicit Hdf5File(const FileName& file);  // throws Failure

  const std::string& name() const { return name_; }
  cli::ReadFile file() const { return {name_, status_}; }

  // A path is a chain of links, "entry/data"; each is looked at before it is followed.
  bool has(const std::string& path) const;
  bool is_group(const std::string& path) const;
  std::vector<std::string> members(const std::string& group) const;               // at most 10000
  std::string attribute(const std::string& path, const std::string& name) const;  // a text; empty: none
  std::optional<std::string> text(const std::string& path) const;                 // a data set of one text

  // Returns the sizes of a data set of numbers. Throws a Failure if it is missing or something else.
  Sizes sizes(const std::string& path) const;
  std::string element(const std::string& path) const;  // "uint16"
  // Returns all numbers of a data set of at most `most`.
  std::vector<double> numbers(const std::string& path, uint64_t most) const;
  std::optional<double> number(const std::string& path) const;  // of one; nothing: missing

  // Reads the block that begins at `first`. Throws Failure.
  void read(const std::string& path, float* out, const Sizes& first, const Sizes& count) const;

  [[noreturn]] void refuse(const std::string& problem, const std::string& advice = {}) const;

 private:
  Hdf5Id open(const std::string& path) const;
  Hdf5Id open_numbers(const std::string& path) const;
  // depth: virtual data sets around this one; left: sources that may still be opened.
  Hdf5Id open_numbers(const std::string& path, size_t depth, size_t& left) const;
  void check_storage(const std::string& path, const Hdf5Id& set, size_t depth, size_t& left) const;
  void check_sources(const std::string& path, const Hdf5Id& set, hid_t list, size_t depth, size_t& left) const;

  std::string folder_, name_;  // folder_: nothing outside of it is opened
  struct stat status_ {};
  Hdf5Id file_;
};

// Returns why the innermost call of the library failed.
std::string hdf5_message();

}  // namespace vsh::tomo
