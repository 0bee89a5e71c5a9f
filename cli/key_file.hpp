// Where a key comes from: --key-file, --key-hex, --key-format.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "key_text.hpp"
#include "output_file.hpp"
#include "wipe.hpp"

namespace vsh::cli {

// A crash must not leave a key in a core file.
void forbid_core_files();

struct Key {
  SecretBytes<kKeyLen> secret;
  std::optional<ReadFile> source;  // the key file: no output may replace it
};

class KeyOptions {
 public:
  void add_to(CLI::App& command);

  // stdin_is_taken: the data comes from standard input, so the key cannot. Throws Failure.
  void load(Key& key, bool stdin_is_taken) const;

 private:
  std::string hex_;
  std::string file_;
  std::string format_ = "auto";
  CLI::Option* hex_option_ = nullptr;
  CLI::Option* file_option_ = nullptr;
};

}  // namespace vsh::cli
