// The plugin's parameters, as nbdkit gives them: NAME=VALUE.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "programs/common/disk/store/store.hpp"
#include "programs/common/disk/volume/volume.hpp"
#include "programs/common/system/secret_buffer.hpp"

namespace vsh::nbdkit {

enum class Format { luks2, plain, veracrypt };

struct Parameters {
  std::string file, uri;  // one of them
  Format format = Format::luks2;
  std::string passphrase;  // "+FILE", "-FD" or "-"
  std::string key_file, header;
  std::vector<std::string> key_files;  // VeraCrypt's, in any order; key_file is the last
  std::string hash;                    // VeraCrypt; empty: any
  uint32_t pim = 0;
  disk::Layout layout;  // those of a plain volume
  bool has_layout = false;
  bool has_veracrypt = false, backup_header = false;
  bool trims = false, read_only = false;

  disk::Access access() const { return read_only ? disk::Access::read_only : disk::Access::read_write; }
  // Throws cli::Failure for an unknown name, a value out of bounds, and a parameter that is given twice.
  void take(const std::string& name, const std::string& value);
  // Checks the combination.
  void check() const;

 private:
  uint32_t given_ = 0;
};

// Reads the passphrase, or the key file as it is. Throws cli::Failure.
cli::SecretBuffer read_passphrase(const Parameters& parameters);

// The text of `nbdkit vershina --help`.
extern const char* const kParametersHelp;
// The names of the formats that this build has, with blanks between.
extern const char* const kFormats;

}  // namespace vsh::nbdkit
