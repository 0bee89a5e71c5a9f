// A file that a command was asked to read: named on the command line or in a list, or found in a directory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "programs/common/files/input_file.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"

namespace vsh::cli {

struct FileToRead {
  std::string name;                                  // as printed; "-" without a directory is standard input
  std::shared_ptr<const Descriptor> directory = {};  // where its last component is opened; null: the name is opened
  std::optional<Failure> failure = {};               // why it cannot be read at all

  // Throws Failure.
  InputFile open() const {
    if (failure) throw *failure;
    if (!directory) return InputFile(name);
    return InputFile(directory->get(), name.substr(name.rfind('/') + 1), quote_name(name));
  }
};

// Yields the named files one by one: the `next` of in_order() and in_batches().
class NamedFiles {
 public:
  explicit NamedFiles(const std::vector<std::string>& names) : names_(names) {}
  std::optional<FileToRead> operator()() {
    return position_ < names_.size() ? std::optional(FileToRead{names_[position_++]}) : std::nullopt;
  }

 private:
  const std::vector<std::string>& names_;
  size_t position_ = 0;
};

}  // namespace vsh::cli
