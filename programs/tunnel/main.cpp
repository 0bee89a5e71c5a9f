// The program `vershina-tunnel`, which `vershina tunnel` starts with the words behind it.
#include "programs/common/commands/companion_program.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tunnel/commands.hpp"

int main(int argc, char** argv) {
  using namespace vsh;
  const cli::CompanionProgram companion = {
      "vershina tunnel",
      [] { return cli::tr("No IKE: a point-to-point tunnel of ESP in UDP under static keys from a file"); },
      [](cli::Program& program) {
        tunnel::add_keygen_command(program);
        tunnel::add_run_command(program);
      },
      "run"};
  return cli::run_companion(companion, argc, argv);
}
