#define NBDKIT_API_VERSION 2
#include "parameters.hpp"

#include <nbdkit-plugin.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "programs/common/disk/formats/secret_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/secret_file_mode.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"

namespace vsh::nbdkit {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::value_or_failure;
using disk::kMaxKeyFile;
using disk::kMaxPassphrase;

constexpr std::string_view kNames[] = {"file",      "uri",  "format",      "passphrase",   "keyfile",          "header",
                                       "offset",    "size", "sector-size", "iv-offset",    "iv-large-sectors", "trim",
                                       "read-only", "pim",  "hash",        "backup-header"};

#if VSH_WITH_CRYPTSETUP
constexpr bool kHasLuks2 = true;
#else
constexpr bool kHasLuks2 = false;
#endif

#if VSH_WITH_VERACRYPT
constexpr bool kHasVeraCrypt = true;
#else
constexpr bool kHasVeraCrypt = false;
#endif

bool read_bool(const std::string& name, const std::string& value) {
  const int yes = nbdkit_parse_bool(value.c_str());  // reports what is wrong itself
  if (yes < 0) throw Failure(ExitCode::usage, name + "=: true or false");
  return yes != 0;
}

uint64_t read_size(const std::string& name, const std::string& value, uint64_t min = 0) {
  return value_or_failure(
      cli::read_number(name + "=", value, {.min = min, .max = INT64_MAX, .is_size = true, .multiple_of = 512}));
}

}  // namespace

const char* const kFormats = kHasLuks2       ? kHasVeraCrypt ? "luks2 plain veracrypt" : "luks2 plain"
                             : kHasVeraCrypt ? "plain veracrypt"
                                             : "plain";

const char* const kParametersHelp =
    "[file=]FILE                  The file or block device with the volume.\n"
    "uri=URI                      Instead of file=: an export of another NBD server, as nbd+unix:///?socket=PATH.\n"
    "format=luks2|plain|veracrypt The volume's format; default luks2.\n"
    "passphrase=+FILE|-FD|-       luks2, veracrypt: the passphrase, from a file, a descriptor, the terminal.\n"
    "keyfile=FILE                 luks2: a key file instead of the passphrase, taken as it is.\n"
    "                             plain: the key, 64 bytes or 128 hexadecimal digits.\n"
    "                             veracrypt: a key file, with or without a passphrase; may be repeated.\n"
    "header=FILE                  luks2: a detached header.\n"
    "offset=SIZE                  plain: where the volume begins in FILE; default 0.\n"
    "size=SIZE                    plain: its size; default: up to the end of FILE.\n"
    "sector-size=512|1024|2048|4096\n"
    "                             plain: bytes of a sector; default 512.\n"
    "iv-offset=N                  plain: the first sector's number, in units of 512 bytes; default 0.\n"
    "iv-large-sectors=BOOL        plain: numbers count sectors instead of units of 512 bytes.\n"
    "pim=N                        veracrypt: the PIM; default 0, 500000 iterations.\n"
    "hash=sha512|sha256|blake2s|whirlpool|streebog\n"
    "                             veracrypt: of the key derivation; default: tries all.\n"
    "backup-header=BOOL           veracrypt: reads the header at the end of FILE.\n"
    "trim=BOOL                    Gives back the space of trimmed sectors, which shows anyone who sees FILE\n"
    "                             which sectors are free; default false.\n"
    "read-only=BOOL               Opens FILE for reading only; other readers are allowed.";

void Parameters::take(const std::string& name, const std::string& value) {
  size_t index = 0;
  while (index < std::size(kNames) && kNames[index] != name) ++index;
  if (index == std::size(kNames)) {
    const std::string near = cli::nearest(name, {std::begin(kNames), std::end(kNames)});
    throw Failure(ExitCode::usage, "unknown parameter " + cli::quote_name(name) + "=",
                  near.empty() ? "`nbdkit vershina --help` lists them" : "did you mean " + near + "=?");
  }
  if ((given_ & (1u << index)) && name != "keyfile") throw Failure(ExitCode::usage, name + "= is given twice");
  given_ |= 1u << index;
  if (value.empty()) throw Failure(ExitCode::usage, name + "= is empty");

  if (name == "file") file = value;
  else if (name == "uri") uri = value;
  else if (name == "format") {
    if (value == "luks2") format = Format::luks2;
    else if (value == "plain") format = Format::plain;
    else if (value == "veracrypt") format = Format::veracrypt;
    else
      throw Failure(ExitCode::usage, "format=: unknown format " + cli::quote_name(value),
                    "there are: luks2, plain, veracrypt");
  } else if (name == "passphrase") {
    // No echo of the value: it may be a passphrase.
    if (value[0] != '+' && value[0] != '-') {
      throw Failure(ExitCode::usage, "passphrase=: every user of this machine sees the command line",
                    "give passphrase=+FILE, passphrase=-FD or passphrase=-");
    }
    passphrase = value;
  } else if (name == "keyfile") {
    key_file = value;
    key_files.push_back(value);
  } else if (name == "header") header = value;
  else if (name == "trim") trims = read_bool(name, value);
  else if (name == "read-only") read_only = read_bool(name, value);
  else if (name == "pim" || name == "hash" || name == "backup-header") {
    has_veracrypt = true;
    if (name == "pim") pim = static_cast<uint32_t>(value_or_failure(cli::read_number("pim=", value, {.max = 10000})));
    else if (name == "backup-header") backup_header = read_bool(name, value);
    else if (value == "sha512" || value == "sha256" || value == "blake2s" || value == "whirlpool" ||
             value == "streebog")
      hash = value;
    else if (value == "argon2id") {
      throw Failure(ExitCode::usage, "hash=argon2id: VeraCrypt's Argon2id is not supported",
                    "VeraCrypt itself can change the volume's passphrase to one with another hash");
    } else {
      throw Failure(ExitCode::usage, "hash=: unknown hash " + cli::quote_name(value),
                    "there are: sha512, sha256, blake2s, whirlpool, streebog");
    }
  } else {
    has_layout = true;
    if (name == "offset") layout.offset = read_size(name, value);
    else if (name == "size") layout.size = read_size(name, value, 512);
    else if (name == "sector-size")
      layout.sector_len = static_cast<uint32_t>(value_or_failure(cli::read_number(
          "sector-size=", value, {.min = 512, .max = VSH_MAX_SECTOR_LEN, .is_size = true, .power_of_two = true})));
    else if (name == "iv-offset") layout.first_number = value_or_failure(cli::read_number("iv-offset=", value, {}));
    else layout.counts_sectors = read_bool(name, value);
  }
}

void Parameters::check() const {
  if (file.empty() == uri.empty()) {
    throw Failure(ExitCode::usage, file.empty() ? "file= is missing" : "file= and uri= exclude each other",
                  "name the file or block device of the volume, or the NBD server that has it");
  }
  if (format != Format::veracrypt && has_veracrypt)
    throw Failure(ExitCode::usage, "pim=, hash= and backup-header= are for format=veracrypt");
  if (format != Format::veracrypt && key_files.size() > 1) throw Failure(ExitCode::usage, "keyfile= is given twice");
  if (format != Format::luks2 && !header.empty())
    throw Failure(ExitCode::usage, "header= is for LUKS2 volumes, whose header may be detached");
  if (format == Format::plain) {
    if (key_file.empty())
      throw Failure(ExitCode::usage, "keyfile= is missing", "a plain volume's key comes from a file");
    if (!passphrase.empty())
      throw Failure(ExitCode::usage, "passphrase= is not for plain volumes", "give their key with keyfile=FILE");
    return;
  }
  if (has_layout) {
    throw Failure(ExitCode::usage, "offset, size, sectors and their numbers are in the header of the volume",
                  "those parameters are for format=plain");
  }
  if (format == Format::veracrypt) {
    if (!kHasVeraCrypt) throw Failure(ExitCode::usage, "this build has no VeraCrypt", "it was made without OpenSSL");
    if (passphrase.empty() && key_files.empty())
      throw Failure(ExitCode::usage, "passphrase= is missing", "give it, or key files alone");
    return;
  }
  if (!kHasLuks2) throw Failure(ExitCode::usage, "this build has no LUKS2", "it was made without libcryptsetup");
  if (passphrase.empty() == key_file.empty())
    throw Failure(ExitCode::usage, "one of passphrase= and keyfile= is needed");
}

cli::SecretBuffer read_passphrase(const Parameters& parameters) {
  const bool is_luks2 = parameters.format == Format::luks2;
  if (is_luks2 && !parameters.key_file.empty()) return disk::read_secret_file(parameters.key_file, kMaxKeyFile);
  const std::string& value = parameters.passphrase;
  if (value == "-") {
    char* line = nullptr;
    if (nbdkit_read_password("-", &line) != 0 || line == nullptr)  // which reports why
      throw Failure(ExitCode::usage, "passphrase=-: no passphrase was read", "give passphrase=+FILE or passphrase=-FD");
    const size_t len = std::strlen(line);
    cli::SecretBuffer secret(len);
    if (len > 0) std::memcpy(secret.data(), line, len);
    cli::wipe(line, len);
    std::free(line);
    if (len == 0) throw Failure(ExitCode::usage, "passphrase=-: the passphrase is empty");
    return secret;
  }
  cli::SecretBuffer secret(0);
  if (value[0] == '+') {
    secret = disk::read_secret_file(value.substr(1), kMaxPassphrase + 1, cli::SecretKind::passphrase);
  } else {
    const auto fd = value_or_failure(cli::read_number("passphrase=-", value.substr(1), {.min = 3, .max = INT32_MAX}));
    const cli::Descriptor file(static_cast<int>(fd));  // nbdkit, too, closes it
    secret = disk::read_secret_descriptor(file.get(), "descriptor " + std::to_string(fd), kMaxPassphrase + 1);
  }
  if (secret.data()[secret.size() - 1] == '\n') secret.shorten(secret.size() - 1);
  if (secret.size() == 0) throw Failure(ExitCode::usage, "passphrase=: the passphrase is empty");
  if (secret.size() > kMaxPassphrase)
    throw Failure(ExitCode::usage, "passphrase=: a passphrase has at most 512 bytes", "keyfile= takes longer secrets");
  return secret;
}

}  // namespace vsh::nbdkit
