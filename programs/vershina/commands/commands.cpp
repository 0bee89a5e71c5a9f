#include "programs/vershina/commands/commands.hpp"

#include <memory>

#include "programs/common/commands/program.hpp"
#include "programs/common/options/help.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

// Adds the commands of other programs, which main() handles before: only for the list of all.
void add_commands_of_companions(Program& program) {
  program.add_command("disk", tr("Make, show and serve volumes of disks, without a kernel module"));
  program.add_command("tunnel", tr("A point-to-point tunnel of ESP in UDP, with static keys: no IKE"));
  program.add_command("tomo", tr("Computed tomography: test scans, reconstruction, comparison of volumes"));
  program.add_command("tune", tr("Measure the kernels and choose by what they cost on this machine"));
#if VSH_WITH_BENCH
  program.add_command("bench", tr("Measure this machine's speed, compared with other libraries and published results"));
#endif
}

}  // namespace

void add_help_command(Program& program) {
  Command& command = program.add_command("help", tr("Explain a command, as COMMAND --help does"));
  const auto name = std::make_shared<std::string>();
  command.add_operand("COMMAND", *name, tr("The command; without it, the list of all"))->offers([&program] {
    Texts names;
    for (const Command& known : program.commands()) names.push_back(known.name());
    return names;
  });
  command.action(
      [name, &program] { print(name->empty() ? help_text(program) : help_text(find_command(program, *name))); });
}

void add_commands(Program& program) {
  add_hash_command(program);
  add_mac_command(program);
  add_encrypt_commands(program);
  add_seal_command(program);
  add_open_command(program);
  add_rekey_command(program);
  add_inspect_command(program);
  add_keygen_command(program);
  add_kdf_command(program);
  add_wrap_commands(program);
  add_kernels_command(program);
  add_devices_command(program);
  add_selftest_command(program);
  add_completion_command(program);
  add_help_command(program);
  add_commands_of_companions(program);
  program.footer(tr("`vershina COMMAND --help` explains a command and shows examples.") + "\n\n" + all_exit_codes());
}

}  // namespace vsh::cli
