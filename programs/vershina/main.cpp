// The program `vershina`: parses the command line, calls one subcommand, and turns every failure into one
// line on standard error and an exit code.
#include <unistd.h>

#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "programs/common/commands/program.hpp"
#include "programs/common/options/arguments.hpp"
#include "programs/common/options/command_line_keys.hpp"
#include "programs/common/options/help.hpp"
#include "programs/common/system/companion.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/device_trial.hpp"
#include "programs/common/system/interrupt.hpp"
#include "programs/common/system/language.hpp"
#include "programs/common/system/secret_buffer.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/commands.hpp"

namespace vsh::cli {
namespace {

// coreutils uses only 0 and 1; a closed pipe ends its programs by SIGPIPE, reported by a shell as 141.
int exit_status(bool is_hash, ExitCode code) {
  if (is_hash && code != ExitCode::closed_pipe) return static_cast<int>(ExitCode::data);
  return static_cast<int>(code);
}

int report(bool is_hash, const Failure& failure) {
  if (failure.code() != ExitCode::closed_pipe) {
    // For files, `hash` prints the messages of coreutils, without advice.
    const bool about_file = failure.code() == ExitCode::input || failure.code() == ExitCode::output;
    print_error(is_hash && about_file ? failure.problem() : failure.what());
  }
  return exit_status(is_hash, failure.code());
}

int run(int argc, char** argv) {
  Program program("vershina", tr("Russian symmetric cryptography: Kuznyechik, Magma, GOST 28147-89, Streebog"));
  const bool is_hash = argc > 1 && std::string_view(argv[1]) == "hash";
  try {
    add_commands(program);
    if (argc <= 1) {  // as for any missing argument, but with the help at once
      const std::string help = help_text(program);
      (void)write_all(STDERR_FILENO, help.data(), help.size());
      return static_cast<int>(ExitCode::usage);
    }
    return static_cast<int>(do_request(program, read_arguments(program, words_without_keys(argc, argv))));
  } catch (const Failure& failure) {
    return report(is_hash, failure);
  } catch (const std::bad_alloc&) {
    print_error(tr("out of memory"));
    return exit_status(is_hash, ExitCode::internal);
  } catch (const std::exception& error) {
    print_error(tr("internal error: {1}", error.what()));
    return exit_status(is_hash, ExitCode::internal);
  }
}

// name: of the program and of its package.
int become(const std::string& name, const std::vector<std::string>& arguments) {
  try {
    start_companion(name, name, arguments);
  } catch (const Failure& failure) {
    return report(false, failure);
  }
}

}  // namespace
}  // namespace vsh::cli

int main(int argc, char** argv) {
  vsh::cli::occupy_standard_descriptors();
  if (vsh::cli::is_device_trial(argc, argv)) return vsh::cli::run_device_trial(argc, argv);
  vsh::cli::choose_language(argc, argv);
  if (const auto arguments = vsh::cli::arguments_for_bench(argc, argv); !arguments.empty())
    return vsh::cli::become("vershina-bench", arguments);
  for (const std::string command : {"disk", "tunnel", "tomo"})
    if (const auto arguments = vsh::cli::arguments_for(command, argc, argv))
      return vsh::cli::become("vershina-" + command, *arguments);
  vsh::cli::keep_memory_private();
  vsh::cli::take_signals();
  vsh::cli::try_devices_first();
  return vsh::cli::run(argc, argv);
}
