#include "programs/common/commands/companion_program.hpp"

#include <unistd.h>

#include <new>
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

int run(const CompanionProgram& companion, const std::vector<std::string>& words, bool is_for_bench = false) {
  Program program(std::string(companion.name), companion.description());
  try {
    if (is_for_bench) {  // behind the word that `vershina` knows this program by
      std::vector<std::string> all = {std::string(companion.name.substr(companion.name.find(' ') + 1))};
      all.insert(all.end(), words.begin(), words.end());
      start_companion("vershina-bench", "vershina-bench", all);
    }
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
  for (const std::string_view command : companion.in_bench)
    if (arguments_for(command, argc, argv)) return run(companion, words, true);
  if (words.empty() || words[0] != companion.waits_itself) take_signals();
  return run(companion, words);
}

}  // namespace vsh::cli
