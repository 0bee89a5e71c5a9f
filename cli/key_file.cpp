#include "key_file.hpp"

#include <sys/resource.h>

#include <map>

#include "arguments.hpp"
#include "failure.hpp"
#include "input_file.hpp"

namespace vsh::cli {
namespace {

KeyFormat format_by_name(const std::string& name) {
  static const std::map<std::string, KeyFormat> formats = {
      {"auto", KeyFormat::automatic}, {"raw", KeyFormat::raw}, {"hex", KeyFormat::hex}};
  const auto found = formats.find(name);
  if (found == formats.end()) throw Failure(ExitCode::usage, "--key-format is raw or hex, not " + name);
  return found->second;
}

}  // namespace

void forbid_core_files() {
  const rlimit none = {0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
}

ReadFile read_key_file(std::span<uint8_t> key, const std::string& name, KeyFormat format) {
  InputFile input(name);
  SecretBytes<max_key_text(kMaxKeyLen) + 1> buffer;
  // One more, to see that it is too long.
  const auto content = std::span(buffer.bytes).first(max_key_text(key.size()) + 1);
  size_t len = 0;
  while (len < content.size()) {
    const size_t got = input.read(content.subspan(len));
    if (got == 0) break;
    len += got;
  }
  const std::string problem = parse_key(content.first(len), format, key);
  if (!problem.empty()) throw Failure(ExitCode::usage, input.name() + ": " + problem);
  return ReadFile{input.name(), input.status()};
}

void KeyOptions::add_to(CLI::App& command) {
  file_option_ = command.add_option(
      "--key-file", file_,
      "Key: a file of 32 raw bytes (XTS: 64) or twice as many hexadecimal digits; - for standard input");
  file_option_->type_name("FILE");
  hex_option_ = command.add_option("--key-hex", hex_,
                                   "Key: 64 hexadecimal digits (XTS: 128); other users can see it, prefer --key-file");
  hex_option_->type_name("HEX");
  command.add_option("--key-format", format_, "What the key file holds: raw or hex (default: by its length)")
      ->type_name("FORMAT");
}

std::optional<ReadFile> KeyOptions::load(std::span<uint8_t> key, bool stdin_is_taken) const {
  forbid_core_files();
  const KeyFormat format = format_by_name(format_);
  const bool from_hex = hex_option_->count() > 0;
  const bool from_file = file_option_->count() > 0;
  if (from_hex && from_file)
    throw Failure(ExitCode::usage, "--key-hex and --key-file exclude each other", "give one key");
  if (!from_hex && !from_file)
    throw Failure(ExitCode::usage, "no key", "give one with --key-file FILE or --key-hex HEX");

  if (from_hex) {
    const std::span text(reinterpret_cast<const uint8_t*>(hex_.data()), hex_.size());
    const std::string problem = parse_key(text, KeyFormat::hex, key);
    if (!problem.empty()) throw Failure(ExitCode::usage, "--key-hex: " + problem);
    return std::nullopt;
  }
  if (file_ == "-" && stdin_is_taken) {
    throw Failure(ExitCode::usage, "--key-file -: standard input is read as data already",
                  "give the key in a file");
  }
  return read_key_file(key, unmark(file_), format);
}

}  // namespace vsh::cli
