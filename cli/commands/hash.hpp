// Shared by the two tasks of `vershina hash`: making checksums (hash.cpp) and checking them (hash_check.cpp).
#pragma once

#include <vershina/vershina.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/files/file_digest.hpp"

namespace vsh::cli {

struct HashSettings {
  std::vector<std::string> files;  // never empty: "-" where none was named
  std::optional<vsh_hash_algorithm> algorithm;
  bool check = false;
  bool tag = false;
  bool zero = false;
  char marker = ' ';  // '*' after --binary
  bool quiet = false;
  bool status = false;
  bool strict = false;
  bool warn = false;
  bool ignore_missing = false;
  bool constant_time = false;
  bool no_progress = false;
  unsigned threads = 0;
  std::string kernel;
  bool kernel_given = false;
  std::string device = "cpu";

  vsh_options library_options() const;
};

FileDigest hash_file(const std::string& name, vsh_hash_algorithm algorithm, const HashSettings& settings,
                     Progress& progress, const std::atomic<bool>& cancelled);

// Checks every list of settings.files. Returns true if all of them match.
bool check_lists(const HashSettings& settings);

}  // namespace vsh::cli
