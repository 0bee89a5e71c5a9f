#include "programs/common/options/key_file.hpp"

#include "programs/common/files/input_file.hpp"
#include "programs/common/options/command_line_keys.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/secret_file_mode.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

KeyFormat format_by_name(const std::string& name) {
  return name == "raw" ? KeyFormat::raw : name == "hex" ? KeyFormat::hex : KeyFormat::automatic;
}

// Reads a file of at most max_len bytes, plus a few to examine. parse(content, format) returns the problem with it.
template <class Parse>
ReadFile parse_file(const std::string& name, size_t max_len, KeyFormat format, Parse parse) {
  InputFile input(name);
  SecretBuffer content(max_len + kKeyTextMargin);
  const size_t len = input.read_all(content.bytes());
  const std::string problem = parse(content.bytes().first(len), format);
  if (!problem.empty()) throw Failure(ExitCode::usage, input.name() + ": " + problem);
  const ReadFile file{input.name(), input.status()};
  warn_of_readers(name, file, SecretKind::key);
  return file;
}

auto parse_into(std::span<uint8_t> key) {
  return [key](std::span<const uint8_t> content, KeyFormat format) { return parse_key(content, format, key); };
}

}  // namespace

std::vector<std::string> key_formats() { return {"auto", "raw", "hex"}; }

ReadFile read_key_file(std::span<uint8_t> key, const std::string& name, KeyFormat format) {
  return parse_file(name, max_key_text(key.size()), format, parse_into(key));
}

void KeyOptions::add_to(Command& command) {
  file_option_ =
      command
          .add_option(
              "-k,--key-file", file_, "FILE",
              tr("Key: a file of 32 raw bytes (XTS: 64) or twice as many hexadecimal digits; - for standard input"))
          ->manual(
              "A file of 32 raw bytes, or of 64 hexadecimal digits with at most one newline; for "
              "`kuznyechik-xts` 64 bytes or 128 digits, the key of the data and then that of the numbers. For "
              "HMAC the key may have any length up to 1 MiB (32 or 64 random bytes are recommended), for `kdf` "
              "any from 1 byte on; lengths other than 32 need --key-format. `-` is standard input, unless the "
              "data come from there. vershina-keygen(1) makes a key. A key file that the group or others may "
              "read is named in a note.");
  const auto take_hex = [this](const Texts& texts) {
    hex_ = texts.back();
    check_hex("--key-hex", text_of_key(hex_));
  };
  hex_option_ =
      command
          .add_option("--key-hex", "HEX",
                      tr("Key: 64 hexadecimal digits (XTS: 128); other users can see it, prefer --key-file"), false,
                      take_hex)
          ->manual(
              "The key as 64 hexadecimal digits; for XTS 128, for HMAC and `kdf` any even number of them. Other "
              "users of the machine can see it in the list of processes for a moment, and shells store it in "
              "their history: prefer --key-file.");
  add_name(command, "--key-format", format_, {mark("key format"), key_formats},
           tr("Format of the key file: raw or hex (default: by its length)"), "FORMAT");
}

template <class Parse>
std::optional<ReadFile> KeyOptions::read(size_t max_len, bool stdin_is_taken, Parse parse) const {
  const KeyFormat format = format_by_name(format_);
  const bool from_hex = hex_option_->count() > 0;
  const bool from_file = file_option_->count() > 0;
  if (from_hex && from_file)
    throw Failure(ExitCode::usage, tr("--key-hex and --key-file exclude each other"), tr("give one key"));
  if (!from_hex && !from_file)
    throw Failure(ExitCode::usage, tr("no key"), tr("give one with --key-file FILE or --key-hex HEX"));

  if (from_hex) {
    const SecretBuffer digits = take_key(hex_);
    const std::string problem = parse(digits.bytes(), KeyFormat::hex);
    if (!problem.empty()) throw Failure(ExitCode::usage, "--key-hex: " + problem);
    return std::nullopt;
  }
  if (file_ == "-" && stdin_is_taken) {
    throw Failure(ExitCode::usage, tr("--key-file -: standard input is read as data already"),
                  tr("give the key in a file"));
  }
  return parse_file(file_, max_len, format, parse);
}

std::optional<ReadFile> KeyOptions::load(std::span<uint8_t> key, bool stdin_is_taken) const {
  return read(max_key_text(key.size()), stdin_is_taken, parse_into(key));
}

void KeyOptions::load(LongKey& key, bool stdin_is_taken) const {
  key.source = read(kMaxLongKeyText, stdin_is_taken, [&](std::span<const uint8_t> content, KeyFormat format) {
    return parse_long_key(content, format, key.secret);
  });
}

}  // namespace vsh::cli
