#define NBDKIT_API_VERSION 2
#include "parameters.hpp"

#include <nbdkit-plugin.h>

#include <iterator>
#include <string_view>

#include "cli/options/option_values.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"

namespace vsh::nbdkit {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::value_or_failure;

constexpr std::string_view kNames[] = {"file",        "format",    "keyfile",          "offset", "size",
                                       "sector-size", "iv-offset", "iv-large-sectors", "trim",   "read-only"};

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

const char* const kFormats = "plain";

const char* const kParametersHelp =
    "[file=]FILE                  (required) The file or block device with the volume.\n"
    "format=plain                 (required) The volume's format.\n"
    "keyfile=FILE                 plain: the key, 64 bytes or 128 hexadecimal digits.\n"
    "offset=SIZE                  plain: where the volume begins in FILE; default 0.\n"
    "size=SIZE                    plain: its size; default: up to the end of FILE.\n"
    "sector-size=512|1024|2048|4096\n"
    "                             plain: bytes of a sector; default 512.\n"
    "iv-offset=N                  plain: the first sector's number, in units of 512 bytes; default 0.\n"
    "iv-large-sectors=BOOL        plain: numbers count sectors instead of units of 512 bytes.\n"
    "trim=BOOL                    Gives back the space of trimmed sectors, which shows to who sees FILE\n"
    "                             which sectors are free; default false.\n"
    "read-only=BOOL               Opens FILE for reading only, beside other readers.";

void Parameters::take(const std::string& name, const std::string& value) {
  size_t index = 0;
  while (index < std::size(kNames) && kNames[index] != name) ++index;
  if (index == std::size(kNames)) {
    const std::string near = cli::nearest(name, {std::begin(kNames), std::end(kNames)});
    throw Failure(ExitCode::usage, "unknown parameter " + cli::quote_name(name) + "=",
                  near.empty() ? "`nbdkit vershina --help` lists them" : "did you mean " + near + "=?");
  }
  if (given_ & (1u << index)) throw Failure(ExitCode::usage, name + "= is given twice");
  given_ |= 1u << index;
  if (value.empty()) throw Failure(ExitCode::usage, name + "= is empty");

  if (name == "file") file = value;
  else if (name == "format") {
    if (value != "plain")
      throw Failure(ExitCode::usage, "format=: unknown format " + cli::quote_name(value), "there is: plain");
    format = Format::plain;
  } else if (name == "keyfile") key_file = value;
  else if (name == "trim") trims = read_bool(name, value);
  else if (name == "read-only") read_only = read_bool(name, value);
  else {
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
  if (file.empty()) throw Failure(ExitCode::usage, "file= is missing", "name the file or block device of the volume");
  if (!format) throw Failure(ExitCode::usage, "format= is missing", "there is: plain");
  if (key_file.empty()) throw Failure(ExitCode::usage, "keyfile= is missing", "a plain volume's key comes from a file");
}

}  // namespace vsh::nbdkit
