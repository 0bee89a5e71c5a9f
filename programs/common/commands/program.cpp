#include "programs/common/commands/program.hpp"

#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/help.hpp"
#include "programs/common/system/console.hpp"

namespace vsh::cli {

ExitCode do_request(Program& program, const Arguments& arguments) {
  switch (arguments.request) {
    case Request::help: print(arguments.command ? help_text(*arguments.command) : help_text(program)); break;
    case Request::version: print(version_text() + "\n"); break;
    case Request::run: {
      // Every command's --quiet keeps these quiet, whatever else it means there.
      const Option* const quiet = arguments.command->find("--quiet");
      if (quiet != nullptr && quiet->count() > 0) keep_quiet();
      const ExitCode code = arguments.command->run();
      if (code != ExitCode::ok) return code;  // the command has reported the failure
      warn_of_devices();
    }
  }
  return ExitCode::ok;
}

}  // namespace vsh::cli
