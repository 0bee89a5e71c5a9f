// Sources of a key: --key-file, --key-hex, --key-format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/command.hpp"
#include "programs/common/options/key_text.hpp"
#include "programs/common/system/secret_buffer.hpp"

namespace vsh::cli {

struct Key {
  SecretBytes<kKeyLen> secret;
  std::optional<ReadFile> source;  // the key file: no output may replace it
};

// A key of any length from 1 byte on.
struct LongKey {
  SecretBuffer secret{0};
  std::optional<ReadFile> source;
};

// Reads all of `key`. name: "-" is standard input. Throws Failure.
ReadFile read_key_file(std::span<uint8_t> key, const std::string& name, KeyFormat format);
inline void read_key_file(Key& key, const std::string& name, KeyFormat format) {
  key.source = read_key_file(std::span(key.secret.bytes), name, format);
}

std::vector<std::string> key_formats();  // of --key-format

class KeyOptions {
 public:
  void add_to(Command& command);
  bool takes_stdin() const { return file_ == "-"; }
  bool given() const { return hex_option_->count() + file_option_->count() > 0; }

  bool reads_stdin() const { return file_ == "-"; }

  // stdin_is_taken: the data comes from standard input, so the key cannot. Throws Failure.
  void load(Key& key, bool stdin_is_taken) const { key.source = load(std::span(key.secret.bytes), stdin_is_taken); }
  void load(LongKey& key, bool stdin_is_taken) const;
  // Likewise for a key of the size of `key`; returns the key file.
  std::optional<ReadFile> load(std::span<uint8_t> key, bool stdin_is_taken) const;

 private:
  template <class Parse>
  std::optional<ReadFile> read(size_t max_len, bool stdin_is_taken, Parse parse) const;

  std::string hex_;  // placeholder of the key: see take_key()
  std::string file_;
  std::string format_ = "auto";
  Option* hex_option_ = nullptr;
  Option* file_option_ = nullptr;
};

}  // namespace vsh::cli
