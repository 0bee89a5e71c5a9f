// The program `vershina-bench`: the commands of `vershina` that measure. `vershina bench` and `vershina tune` start it
// with their arguments; called directly without either word it is `bench`. Behind the word `tomo` they are those of
// `vershina tomo`.
#include <algorithm>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "programs/bench/tune/command.hpp"
#include "programs/common/commands/program.hpp"
#include "programs/common/options/arguments.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/device_trial.hpp"
#include "programs/common/system/interrupt.hpp"
#include "programs/common/system/language.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

#if VSH_WITH_BENCH
#include "programs/bench/command.hpp"
#if VSH_WITH_TOMOGRAPHY
#include "programs/bench/tomography/bench.hpp"
#endif
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

void add_commands(cli::Program& program) {
#if VSH_WITH_BENCH
  add_bench_command(program);
#endif
  add_tune_command(program);
}

// Of `vershina tomo`.
void add_tomography_commands([[maybe_unused]] cli::Program& program) {
#if VSH_WITH_TOMOGRAPHY
#if VSH_WITH_BENCH
  add_tomography_bench_command(program);
#endif
  add_tomography_tune_command(program);
#endif
}

int run(const std::vector<std::string>& words, bool is_tomography) {
  cli::Program program(is_tomography ? "vershina tomo" : "vershina",
                       is_tomography ? cli::tr("Computed tomography: benchmarks")
                                     : cli::tr("Russian symmetric cryptography: benchmarks"));
  try {
    if (is_tomography) add_tomography_commands(program);
    else add_commands(program);
    cli::add_completion_command(program);
    return static_cast<int>(cli::do_request(program, cli::read_arguments(program, words)));
  } catch (const Failure& failure) {
    return report(failure);
  } catch (const std::bad_alloc&) {
    cli::print_error(cli::tr("out of memory"));
    return static_cast<int>(ExitCode::internal);
  } catch (const std::exception& error) {
    cli::print_error(cli::tr("internal error: {1}", error.what()));
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace
}  // namespace vsh::bench

int main(int argc, char** argv) {
  vsh::cli::occupy_standard_descriptors();
  if (vsh::cli::is_device_trial(argc, argv)) return vsh::cli::run_device_trial(argc, argv);
  vsh::cli::choose_language(argc, argv);
  vsh::cli::take_signals();
  vsh::cli::try_devices_first();
  std::vector<std::string> words(argv + (argc > 0), argv + argc);
  const auto is_word = [&](std::string_view word) { return !words.empty() && words[0] == word; };
  const bool is_tomography = is_word("tomo");  // of `vershina tomo`, with all words behind
  if (is_tomography) words.erase(words.begin());
  else if (std::none_of(std::begin(vsh::bench::kCommands), std::end(vsh::bench::kCommands), is_word))
    words.insert(words.begin(), "bench");
  return vsh::bench::run(words, is_tomography);
}
