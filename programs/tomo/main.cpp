// The program `vershina-tomo`, which `vershina tomo` starts with the words behind it.
#include "programs/common/commands/companion_program.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/commands/commands.hpp"

int main(int argc, char** argv) {
  using namespace vsh;
  const cli::CompanionProgram companion = {
      "vershina tomo",
      [] { return cli::tr("Computed tomography: from X-ray projections to slices"); },
      [](cli::Program& program) {
        tomo::add_phantom_command(program);
        tomo::add_info_command(program);
        tomo::add_centre_command(program);
        tomo::add_reconstruct_command(program);
        tomo::add_monitor_command(program);
        tomo::add_segment_command(program);
        tomo::add_compare_command(program);
        tomo::add_view_command(program);
#if VSH_WITH_BENCH
        program.add_command("bench", cli::tr("Measure what a slice costs on this machine"));
#endif
        program.add_command("tune", cli::tr("Measure the kernels and choose by what they cost on this machine"));
      },
      "view",
      {"tune",
#if VSH_WITH_BENCH
       "bench"
#endif
      }};
  return cli::run_companion(companion, argc, argv);
}
