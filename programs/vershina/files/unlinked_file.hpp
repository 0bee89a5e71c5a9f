// A private temporary file: without a name, readable and writable only by this process.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "programs/common/files/input_file.hpp"
#include "programs/common/system/descriptor.hpp"

namespace vsh::cli {

class PrivateFile {
 public:
  PrivateFile();  // in $TMPDIR, or else /tmp. Throws Failure

  void write(std::span<const uint8_t> data);  // throws Failure
  // Returns the written data for reading from its beginning, called `name` in messages. No writes afterwards.
  InputFile read_back(const std::string& name) &&;

 private:
  std::string directory_;
  Descriptor fd_;
};

}  // namespace vsh::cli
