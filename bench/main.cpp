// The program `vershina-bench`: the commands of `vershina` that measure. `vershina bench` and `vershina tune` start it
// with their arguments; called by itself without either word it is `bench`.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/tune/command.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/engine_options.hpp"
#include "cli/options/help.hpp"
#include "cli/system/console.hpp"
#include "cli/system/descriptor.hpp"
#include "cli/system/interrupt.hpp"
#include "cli/text/failure.hpp"

#if VSH_WITH_BENCH
#include "bench/command.hpp"
#endif

namespace vsh::bench {
namespace {

using cli::ExitCode;
using cli::Failure;

constexpr std::string_view kCommands[] = {"bench", "tune", "completion"};

int report(const Failure& failure) {
  if (failure.code() != ExitCode::closed_pipe) cli::print_error(failure.what());
  return static_cast<int>(failure.code());
}

int run(std::vector<char*> arguments) {
  CLI::App app{"Russian symmetric cryptography: what measures", "vershina"};
  try {
    app.require_subcommand(1);
    app.set_version_flag("--version", cli::version_text, "Print version, compiler and features");
#if VSH_WITH_BENCH
    add_bench_command(app);
#endif
    add_tune_command(app);
    cli::add_completion_command(app);
    cli::lay_out_help(app);
    app.parse(cli::take_arguments(app, static_cast<int>(arguments.size()), arguments.data()));
    cli::warn_of_devices();
    return 0;
  } catch (const CLI::Success& request) {  // --help, --version
    std::ostringstream text;
    app.exit(request, text, text);
    try {
      cli::print(text.str());
    } catch (const Failure& failure) {
      return report(failure);
    }
    return 0;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string command = chosen.empty() ? "bench" : chosen.front()->get_name();
    cli::print_error(std::string(error.what()) + ": see `vershina " + command + " --help`");
    return static_cast<int>(ExitCode::usage);
  } catch (const Failure& failure) {
    return report(failure);
  } catch (const std::bad_alloc&) {
    cli::print_error("out of memory");
    return static_cast<int>(ExitCode::internal);
  } catch (const std::exception& error) {
    cli::print_error(std::string("internal error: ") + error.what());
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace
}  // namespace vsh::bench

int main(int argc, char** argv) {
  vsh::cli::occupy_standard_descriptors();
  vsh::cli::take_signals();
  std::vector<char*> arguments(argv, argv + argc);
  std::string bench = "bench";
  const auto is_word = [&](std::string_view word) { return argc > 1 && word == argv[1]; };
  if (std::none_of(std::begin(vsh::bench::kCommands), std::end(vsh::bench::kCommands), is_word))
    arguments.insert(arguments.begin() + (argc > 0), bench.data());
  return vsh::bench::run(std::move(arguments));
}
