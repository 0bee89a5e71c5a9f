#include "cli/commands/commands.hpp"

#include <memory>

#include "cli/options/arguments.hpp"
#include "cli/options/help.hpp"
#include "cli/system/console.hpp"

#if VSH_WITH_BENCH
#include "bench/command.hpp"
#endif

namespace vsh::cli {

void add_help_command(Program& program) {
  Command& command = program.add_command("help", "Explain a command, as COMMAND --help does");
  const auto name = std::make_shared<std::string>();
  command.add_operand("COMMAND", *name, "The command; without it, the list of all")->offers([&program] {
    Texts names;
    for (const Command& known : program.commands()) names.push_back(known.name());
    return names;
  });
  command.action([name, &program] {
    print(name->empty() ? help_text(program) : help_text(find_command(program, *name)));
  });
}

void add_commands(Program& program) {
  add_hash_command(program);
  add_mac_command(program);
  add_encrypt_commands(program);
  add_seal_command(program);
  add_open_command(program);
  add_rekey_command(program);
  add_inspect_command(program);
  add_kdf_command(program);
  add_wrap_commands(program);
  add_kernels_command(program);
  add_devices_command(program);
  add_selftest_command(program);
  add_tune_command(program);
  add_completion_command(program);
  add_help_command(program);
#if VSH_WITH_BENCH
  add_bench_command(program);
#endif
  program.footer("`vershina COMMAND --help` explains a command and shows examples.\n\n" + all_exit_codes());
}

}  // namespace vsh::cli
