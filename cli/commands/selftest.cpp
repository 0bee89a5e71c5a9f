// `vershina selftest`: every kernel that this processor can run, on vectors of the standards.
#include <vershina/vershina.h>

#include <string>

#include "cli/commands/commands.hpp"
#include "cli/options/engine_options.hpp"
#include "cli/system/console.hpp"
#include "cli/text/failure.hpp"

namespace vsh::cli {

void add_selftest_command(Program& program) {
  Command& command = program.add_command("selftest", "Run every kernel of this processor on vectors of the standards");
  command.exit_status({{ExitCode::ok, "when all results are right"},
                       {ExitCode::data, "otherwise"},
                       {ExitCode::kernel, "for a VERSHINA_KERNEL that cannot be used"}});
  command.action([] {
    (void)check_kernels_of_environment();  // table kernels are tested in any case
    const char* failed = nullptr;
    const vsh_status status = vsh_selftest(&failed);
    if (status != VSH_OK) {
      throw Failure(ExitCode::data,
                    std::string("selftest: wrong result: ") + (failed ? failed : vsh_status_message(status)),
                    "do not use this build on this machine, and report it");
    }
    print("selftest: OK\n");
  });
}

}  // namespace vsh::cli
