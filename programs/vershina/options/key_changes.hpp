// Options of encrypt, decrypt and mac for key changes within a message: --section, --key-meshing.
#pragma once

#include <vershina/vershina.h>

#include <string>

#include "programs/common/options/command.hpp"
#include "programs/common/text/failure.hpp"

namespace vsh::cli {

class KeyChangeOptions {
 public:
  // defaults: of --section, for the help text.
  void add_to(Command& command, const std::string& defaults);
  void add_master_section_to(Command& command);

  // Throws Failure.
  void apply(vsh_options& options) const;

 private:
  size_t section_ = 0, master_section_ = 0;
  std::string key_meshing_;
};

// Returns the Failure for VSH_E_SECTION. block: block size of the cipher.
Failure section_failure(const std::string& algorithm, size_t block, const vsh_options& options);

}  // namespace vsh::cli
