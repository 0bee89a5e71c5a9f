// The program `vershina-tunnel`, which `vershina tunnel` starts with the words behind it.
#include <unistd.h>

#include <new>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/help.hpp"
#include "cli/system/console.hpp"
#include "cli/system/descriptor.hpp"
#include "cli/system/interrupt.hpp"
#include "cli/system/secret_buffer.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/translate.hpp"
#include "tunnel/commands.hpp"

namespace vsh::tunnel {
namespace {

using cli::ExitCode;
using cli::Failure;

int run(const std::vector<std::string>& words) {
  cli::Program program("vershina tunnel",
                       cli::tr("No IKE: a point-to-point tunnel of ESP in UDP under static keys from a file"));
  try {
    tunnel::add_keygen_command(program);
    tunnel::add_run_command(program);
    cli::add_completion_command(program);
    if (words.empty()) {
      const std::string help = cli::help_text(program);
      (void)cli::write_all(STDERR_FILENO, help.data(), help.size());
      return static_cast<int>(ExitCode::usage);
    }
    return static_cast<int>(cli::do_request(program, cli::read_arguments(program, words)));
  } catch (const Failure& failure) {
    if (failure.code() != ExitCode::closed_pipe) cli::print_error(failure.what());
    return static_cast<int>(failure.code());
  } catch (const std::bad_alloc&) {
    cli::print_error(cli::tr("out of memory"));
  } catch (const std::exception& error) {
    cli::print_error(cli::tr("internal error: {1}", error.what()));
  }
  return static_cast<int>(ExitCode::internal);
}

}  // namespace
}  // namespace vsh::tunnel

int main(int argc, char** argv) {
  vsh::cli::occupy_standard_descriptors();
  vsh::cli::keep_memory_private();
  vsh::cli::choose_language(argc, argv);
  const std::vector<std::string> words(argv + (argc > 0), argv + argc);
  if (words.empty() || words[0] != "run") vsh::cli::take_signals();  // `run` waits for signals itself
  return vsh::tunnel::run(words);
}
