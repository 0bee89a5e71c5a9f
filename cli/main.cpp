// The program `vershina`: parses the command line, calls one subcommand, and turns every failure into one
// line on standard error and an exit code.
#include <unistd.h>

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/arguments.hpp"
#include "cli/commands/commands.hpp"
#include "cli/system/companion.hpp"
#include "cli/system/console.hpp"
#include "cli/options/engine_options.hpp"
#include "cli/options/help.hpp"
#include "cli/system/descriptor.hpp"
#include "cli/text/failure.hpp"
#include "cli/system/interrupt.hpp"
#include "cli/system/secret_memory.hpp"
#include "cli/text/text.hpp"

namespace vsh::cli {
namespace {

constexpr const char* kExplanation = R"(`vershina COMMAND --help` explains a command and shows examples.

Exit status: 0 success; 1 the data is wrong; 2 usage; 3 a file cannot be read; 4 the output cannot be
written; 5 the kernel is not available; 6 wrong passphrase or key; 7 damaged header; 8 damaged chunk; 9
truncated; 10 unknown version; 11 parameters beyond the bounds; 70 internal error; 141 closed pipe. `hash`
has 0 and 1 only, as coreutils.)";

void add_help_command(CLI::App& app) {
  auto* command = app.add_subcommand("help", "Explain a command, as COMMAND --help does");
  auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "The command; without it, the list of all")->type_name("");
  command->callback([=, &app] {
    // app.help() would be that of the chosen command, this one.
    const auto list = [&] { return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal); };
    print(name->empty() ? list() : find_command(app, *name).help("vershina"));
  });
}

// Commands of vershina-bench, which never get here (main): for the list of all.
void add_commands_of_bench(CLI::App& app) {
  app.add_subcommand("tune", "Measure the kernels and choose by what they cost on this machine");
#if VSH_WITH_BENCH
  app.add_subcommand("bench", "Measure this machine's speed, beside other libraries and published figures");
#endif
}

void add_commands(CLI::App& app) {
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text, "Print version, compiler and features");
  app.footer(kExplanation);
  add_hash_command(app);
  add_mac_command(app);
  add_encrypt_commands(app);
  add_seal_command(app);
  add_open_command(app);
  add_rekey_command(app);
  add_inspect_command(app);
  add_kdf_command(app);
  add_wrap_commands(app);
  add_kernels_command(app);
  add_devices_command(app);
  add_selftest_command(app);
  add_completion_command(app);
  add_help_command(app);
  add_commands_of_bench(app);
  lay_out_help(app);
}

// coreutils knows 0 and 1 only; a closed pipe ends its programs by SIGPIPE, which a shell shows as 141.
int exit_status(bool is_hash, ExitCode code) {
  if (is_hash && code != ExitCode::closed_pipe) return static_cast<int>(ExitCode::data);
  return static_cast<int>(code);
}

int report(bool is_hash, const Failure& failure) {
  if (failure.code() != ExitCode::closed_pipe) {
    // For files, `hash` says what coreutils says, without advice.
    const bool about_file = failure.code() == ExitCode::input || failure.code() == ExitCode::output;
    print_error(is_hash && about_file ? failure.problem() : failure.what());
  }
  return exit_status(is_hash, failure.code());
}

// What CLI11 found wrong: an argument that is missing, options that exclude each other.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::string problem = error.what();
  if (problem.starts_with("--output is")) return problem + ": name a file with -o, or -o - for standard output";
  if (problem.starts_with("IN is")) return problem + ": name a file, or - for standard input";
  const auto chosen = app.get_subcommands();
  return problem + ": see `vershina " + (chosen.empty() ? "" : chosen.front()->get_name() + " ") + "--help`";
}

int run(int argc, char** argv) {
  CLI::App app{"Russian symmetric cryptography: Kuznyechik, Magma, GOST 28147-89, Streebog", "vershina"};
  const bool is_hash = argc > 1 && std::string_view(argv[1]) == "hash";
  try {
    add_commands(app);
    if (argc <= 1) {  // as for any missing argument, but with the help at once
      const std::string help = app.help();
      (void)write_all(STDERR_FILENO, help.data(), help.size());
      return static_cast<int>(ExitCode::usage);
    }
    app.parse(take_arguments(app, argc, argv));
    warn_of_devices();
    return 0;
  } catch (const CLI::RuntimeError& error) {  // a command that has said already what was wrong
    return error.get_exit_code();
  } catch (const CLI::Success& request) {  // --help, --version
    std::ostringstream text;
    app.exit(request, text, text);
    try {
      print(text.str());
    } catch (const Failure& failure) {
      return report(is_hash, failure);
    }
    return 0;
  } catch (const CLI::ParseError& error) {
    print_error(explain(app, error));
    return exit_status(is_hash, ExitCode::usage);
  } catch (const Failure& failure) {
    return report(is_hash, failure);
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
    return exit_status(is_hash, ExitCode::internal);
  } catch (const std::exception& error) {
    print_error(std::string("internal error: ") + error.what());
    return exit_status(is_hash, ExitCode::internal);
  }
}

int become_bench(const std::vector<std::string>& arguments) {
  try {
    start_companion("vershina-bench", "vershina-bench", arguments);
  } catch (const Failure& failure) {
    return report(false, failure);
  }
}

}  // namespace
}  // namespace vsh::cli

int main(int argc, char** argv) {
  vsh::cli::occupy_standard_descriptors();
  if (const auto arguments = vsh::cli::arguments_for_bench(argc, argv); !arguments.empty())
    return vsh::cli::become_bench(arguments);
  vsh::cli::keep_memory_private();
  vsh::cli::take_signals();
  return vsh::cli::run(argc, argv);
}
