// `vershina keygen`: random keys, and the check values by which two people compare theirs.
#include <memory>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/key_text.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/secret_file_mode.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/contexts.hpp"
#include "programs/common/system/random.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"
#include "programs/vershina/commands/commands.hpp"
#include "programs/vershina/options/variable_key_file.hpp"

namespace vsh::cli {
namespace {

struct KeygenSettings {
  std::string output = "-", checked;
  size_t length = kKeyLen;
  bool hex = false;
  bool quiet = false;
};

// Returns the first 4 bytes of HMAC-Streebog-256 (R 50.1.113-2016) under the key over a fixed text, in hexadecimal
// digits. It depends on the key's bytes, not on the form of its file; who does not know the key learns nothing but
// whether a guess of it is wrong.
std::string check_value(std::span<const uint8_t> key) {
  static constexpr std::string_view text = "vershina key check value";
  vsh_mac* made = nullptr;
  vsh_status status = vsh_mac_new(&made, VSH_HMAC_STREEBOG256, key.data(), key.size(), nullptr);
  const MacContext mac(made);
  uint8_t value[4];
  if (status == VSH_OK) status = vsh_mac_update(mac.get(), reinterpret_cast<const uint8_t*>(text.data()), text.size());
  if (status == VSH_OK) status = vsh_mac_final(mac.get(), value, sizeof value);
  if (status != VSH_OK) throw engine_failure(status, "hmac-streebog256", VSH_OPTIONS_INIT);
  return encode_hex(value);
}

// Reads a key of 32 or 64 bytes, raw or in hexadecimal digits. 64 digits are a key of 32 bytes.
SecretBuffer read_key(const std::string& name) {
  SecretFile file = read_secret_file(name, max_key_text(2 * kKeyLen));
  warn_of_readers(name, file.source, SecretKind::key);
  const auto is_length = [](size_t len) { return len == kKeyLen || len == 2 * kKeyLen; };
  if (file.content.size() != kKeyLen) {
    std::optional<SecretBuffer> decoded = decode_secret_hex(file);
    if (decoded && is_length(decoded->size())) return std::move(*decoded);
  }
  if (is_length(file.content.size())) return std::move(file.content);
  throw Failure(ExitCode::usage, tr("{1}: {2}, so no key", file.name, bytes_of(file.content.size())),
                tr("a key is 32 or 64 bytes, or 64 or 128 hexadecimal digits with at most one newline"));
}

void check_key(const KeygenSettings& settings) {
  const SecretBuffer key = read_key(settings.checked);
  const std::string name = settings.checked == "-" ? "standard input" : quote_name(settings.checked);
  print(tr("{1}: check value {2}\n", name, check_value(key.bytes())));
}

void warn_of_readers_of_stdout() {
  struct stat status {};
  if (::fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return;
  if ((status.st_mode & (S_IRGRP | S_IROTH)) == 0) return;
  print_note(tr("standard output: other users may read the file that has the key now: name it with -o instead"));
}

void make_key(const KeygenSettings& settings) {
  OutputFile output(settings.output, Force::not_offered(),
                    settings.hex ? OutputFile::Content::any : OutputFile::Content::binary, {});
  output.keep_private();
  SecretBuffer key(settings.length);
  fill_random(key.bytes());
  const std::string value = check_value(key.bytes());
  if (settings.hex) {
    output.write(encode_secret_hex(key.bytes()).bytes());
  } else {
    output.write(key.bytes());
  }
  if (is_standard_output(settings.output)) {
    output.commit();
    print_note(tr("check value {1}", value));
    warn_of_readers_of_stdout();
    return;
  }
  // Before the key has its name: if this cannot be printed, no key is left either.
  if (!settings.quiet) print(tr("{1}: check value {2}\n", output.name(), value));
  output.commit();
}

constexpr const char* kKeygenExamples =
    mark(R"(The key is random bytes of the operating system. Its file is new, complete, and readable only by its owner;
no file is ever replaced. Without -o the key goes to standard output, raw bytes not to a terminal. Keep a copy
of a key elsewhere: what was encrypted with a lost key is lost.

The check value shows whether two people have the same key: the first 8 digits of its HMAC-Streebog-256 over
the text "vershina key check value". It does not reveal the key. It goes to standard output, but to standard
error where the key goes to standard output.

Examples:
  vershina keygen -o office.key                     then `vershina seal -k office.key report.pdf`
  vershina keygen --check office.key                the check value of a key file
  vershina keygen --length 64 -o disk.key           for XTS, and for KExp15 of `vershina wrap`
  vershina keygen --hex | ssh backup 'umask 077; cat > backup.key')");

}  // namespace

void add_keygen_command(Program& program) {
  Command& command = program.add_command("keygen", tr("Make a random key"));
  auto settings = std::make_shared<KeygenSettings>();
  auto* output = command
                     .add_option("-o,--output", settings->output, "OUT",
                                 tr("The file to make, which must not exist (default: standard output)"))
                     ->manual(
                         "The file to make, which must not exist. Without it, and with `-`, the key goes to standard "
                         "output; raw bytes not if that is a terminal.");
  auto* hex = command.add_flag("--hex", settings->hex, tr("Write a line of hexadecimal digits, not bytes"));
  auto* length =
      add_number(command, "--length", settings->length, {.min = kKeyLen, .max = 2 * kKeyLen, .multiple_of = kKeyLen},
                 tr("Bytes of the key: 32 (default), or 64 for XTS and KExp15"))
          ->manual(
              "The bytes of the key: 32, the default; or 64, for `kuznyechik-xts` and as a key encryption key of "
              "KExp15.");
  auto* check =
      command
          .add_option("--check", settings->checked, "FILE",
                      tr("Make no key: print the check value of this one; - for standard input"))
          ->manual(
              "Make no key: print the check value of this one, which is 32 or 64 bytes, or 64 or 128 hexadecimal "
              "digits with at most one newline. 64 digits are a key of 32 bytes. `-` is standard input.");
  command.add_flag("-q,--quiet", settings->quiet, tr("Print only errors, and no check value"));
  command.footer(tr(kKeygenExamples));
  command.exit_status({ExitCode::ok, ExitCode::usage, ExitCode::input, ExitCode::output, ExitCode::closed_pipe});
  command.action([=] {
    if (check->count() == 0) return make_key(*settings);
    for (const Option* option : {output, hex, length}) {
      if (option->count() == 0) continue;
      throw Failure(ExitCode::usage, tr("--check makes no key"), tr("leave out {1}", option->name()));
    }
    check_key(*settings);
  });
}

}  // namespace vsh::cli
