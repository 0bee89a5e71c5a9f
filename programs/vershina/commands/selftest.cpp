// `vershina selftest`: every kernel that this processor can run, on vectors of the standards.
#include <vershina/vershina.h>

#include <string>

#include "programs/common/options/engine_options.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/commands.hpp"

namespace vsh::cli {

void add_selftest_command(Program& program) {
  Command& command =
      program.add_command("selftest", tr("Run every kernel of this processor on vectors of the standards"));
  command.exit_status({ExitCode::ok,
                       {ExitCode::data, tr("a result was wrong")},
                       {ExitCode::kernel, tr("VERSHINA_KERNEL cannot be used")}});
  command.action([] {
    (void)check_kernels_of_environment();  // table kernels are tested in any case
    const char* failed = nullptr;
    const vsh_status status = vsh_selftest(&failed);
    if (status != VSH_OK) {
      throw Failure(ExitCode::data, tr("selftest: wrong result: {1}", failed ? failed : tr(vsh_status_message(status))),
                    tr("do not use this build on this machine, and report it"));
    }
    print("selftest: OK\n");
  });
}

}  // namespace vsh::cli
