// The program `vershina-disk`, which `vershina disk` starts with the words behind it.
#include "programs/common/commands/companion_program.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/disk/commands/commands.hpp"

int main(int argc, char** argv) {
  using namespace vsh;
  const cli::CompanionProgram companion = {
      "vershina disk", [] { return cli::tr("Volumes enciphered with Kuznyechik, without a kernel module"); },
      [](cli::Program& program) {
        disk::add_create_command(program);
        disk::add_info_command(program);
        disk::add_serve_command(program);
        disk::add_copy_command(program);
      },
      "serve"};
  return cli::run_companion(companion, argc, argv);
}
