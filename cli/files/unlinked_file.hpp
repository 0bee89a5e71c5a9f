// A temporary file that nobody else sees: without a name, readable and writable by this process alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/system/descriptor.hpp"
#include "cli/files/input_file.hpp"

namespace vsh::cli {

class PrivateFile {
 public:
  PrivateFile();  // in $TMPDIR, or else /tmp. Throws Failure

  void write(std::span<const uint8_t> data);  // throws Failure
  // What was written, from its beginning; messages call it `name`. Nothing can be written afterwards.
  InputFile read_back(const std::string& name) &&;

 private:
  std::string directory_;
  Descriptor fd_;
};

}  // namespace vsh::cli
