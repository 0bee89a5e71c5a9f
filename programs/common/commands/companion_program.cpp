#include "programs/common/commands/companion_program.hpp"

#include <unistd.h>

#include <new>
#include <optional>
#include <vector>

#include "programs/common/commands/program.hpp"
#include "programs/common/options/arguments.hpp"
#include "programs/common/options/help.hpp"
#include "programs/common/system/companion.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/interrupt.hpp"
#include "programs/common/system/language.hpp"
#include "programs/common/system/secret_buffer.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

int run(const CompanionProgram& companion, const std::vector<std::string>& words,
        const std::optional<std::vector<std::string>>& words_for_bench) {
  Program program(std::string(companion.name), companion.description());
  try {
    if (words_for_bench) start_companion("vershina-bench", "vershina-bench", *words_for_bench);
    companion.add_commands(program);
    add_completion_command(program);
    if (words.empty()) {
      const std::string help = help_text(program);
      (void)write_all(STDERR_FILENO, help.data(), help.size());
      return static_cast<int>(ExitCode::usage);
    }
    return static_cast<int>(do_request(program, read_arguments(program, words)));
  } catch (const Failure& failure) {
    if (failure.code() != ExitCode::closed_pipe) print_error(failure.what());
    return static_cast<int>(failure.code());
  } catch (const std::bad_alloc&) {
    print_error(tr("out of memory"));
  } catch (const std::exception& error) {
    print_error(tr("internal error: {1}", error.what()));
  }
  return static_cast<int>(ExitCode::internal);
}

}  // namespace

int run_companion(const CompanionProgram& companion, int argc, char** argv) {
  occupy_standard_descriptors();
  keep_memory_private();
  choose_language(argc, argv);
  const std::vector<std::string> words(argv + (argc > 0), argv + argc);
  std::optional<std::vector<std::string>> words_for_bench;
  if (!companion.in_bench.empty()) words_for_bench = arguments_for(companion.in_bench, argc, argv);
  if (words_for_bench) {  // behind the word that `vershina` knows this program by
    words_for_bench->insert(words_for_bench->begin(), std::string(companion.name.substr(companion.name.find(' ') + 1)));
    return run(companion, words, words_for_bench);
  }
  if (words.empty() || words[0] != companion.waits_itself) take_signals();
  return run(companion, words, std::nullopt);
}

}  // namespace vsh::cli
