// The exit codes of the program and their meaning: the only table, printed by --help; the manual page and docs/cli.md
// are checked against it.
#pragma once

#include "programs/common/text/translate.hpp"

namespace vsh::cli {

// `vershina hash` uses the codes of coreutils: 0, and 1 for every failure (and 141 for a closed pipe).
enum class ExitCode : int {
  ok = 0,
  data = 1,          // checksum or tag does not match, bad padding, no whole number of blocks
  usage = 2,         // unknown option, impossible value, missing key, wrong length of a key or an IV
  input = 3,         // a file could not be read
  output = 4,        // the output could not be written, or it exists and --force was not given
  kernel = 5,        // the requested kernel is unknown, not for this CPU, or not allowed
  wrong_key = 6,     // sealed files: no passphrase or key given opens it
  header = 7,        // not a sealed file, or its header is damaged
  chunk = 8,         // sealed files: a part of the content is damaged or not in its place
  truncated = 9,     // sealed files: the end is missing
  version = 10,      // sealed files: unknown version or algorithms
  parameters = 11,   // sealed files: numbers in the header out of bounds, or too much work for its passphrases
  device = 12,       // the requested device is missing, failed, or does not support the operation
  internal = 70,     // out of memory, a library loaded when needed is missing, or a defect of this program
  closed_pipe = 141  // standard output was closed; 128 + SIGPIPE, as reported by a shell
  // A run ended by SIGHUP, SIGINT, SIGQUIT or SIGTERM ends by that signal: a shell reports 129, 130, 131, 143.
};

struct ExitRow {
  ExitCode code;
  const char* word;  // in the help of a command
  const char* text;  // in the list of all
};

inline constexpr ExitRow kExitCodes[] = {
    {ExitCode::ok, mark("success"), mark("success")},
    {ExitCode::data, mark("wrong data"), mark("the data is wrong")},
    {ExitCode::usage, mark("usage"), mark("usage")},
    {ExitCode::input, mark("input"), mark("a file cannot be read")},
    {ExitCode::output, mark("output"), mark("the output cannot be written")},
    {ExitCode::kernel, mark("kernel"), mark("the kernel is not available")},
    {ExitCode::wrong_key, mark("wrong passphrase or key"), mark("wrong passphrase or key")},
    {ExitCode::header, mark("damaged header"), mark("damaged header")},
    {ExitCode::chunk, mark("damaged chunk"), mark("damaged chunk")},
    {ExitCode::truncated, mark("truncated"), mark("truncated")},
    {ExitCode::version, mark("unknown version"), mark("unknown version")},
    {ExitCode::parameters, mark("parameters beyond the bounds"), mark("parameters beyond the bounds")},
    {ExitCode::device, mark("device"), mark("the device is not available")},
    {ExitCode::internal, mark("internal error"), mark("internal error")},
    {ExitCode::closed_pipe, mark("closed pipe"), mark("closed pipe")},
};

constexpr const ExitRow& row_of(ExitCode code) {
  for (const ExitRow& row : kExitCodes)
    if (row.code == code) return row;
  return kExitCodes[0];
}

}  // namespace vsh::cli
