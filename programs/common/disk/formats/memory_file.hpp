// Files in memory, for libcryptsetup, which knows only paths.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "programs/common/system/descriptor_path.hpp"

namespace vsh::disk {

// Sparse: parts that were never written take no memory. Every function throws cli::Failure.
class MemoryFile {
 public:
  explicit MemoryFile(uint64_t size);
  std::string path() const { return cli::path_of(file_); }
  void read(std::span<uint8_t> out, uint64_t offset) const;
  void write(std::span<const uint8_t> in, uint64_t offset) const;

 private:
  cli::Descriptor file_;
};

}  // namespace vsh::disk
