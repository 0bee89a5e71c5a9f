// `vershina completion`: scripts for shells, and answers to their queries.
#include <iostream>
#include <memory>

#include "programs/common/commands/completion_words.hpp"
#include "programs/common/commands/program.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

constexpr const char* kExamples = mark(
    R"(An installation puts these scripts where the shells look for them. The script asks the program itself
what is possible at each place, so that it fits every version.

Examples:
  source <(vershina completion bash)                                  in this shell, or in ~/.bashrc
  vershina completion fish > ~/.config/fish/completions/vershina.fish
  vershina completion zsh > ~/.zfunc/_vershina                        a directory of $fpath)");

// Returns a line for each candidate, with its description after a tab; or :files.
std::string answer(const Completion& completion) {
  if (completion.files) return ":files\n";
  std::string lines;
  for (const Candidate& candidate : completion.candidates) {
    lines += candidate.word;
    if (!candidate.description.empty()) lines += "\t" + candidate.description;
    lines += "\n";
  }
  return lines;
}

}  // namespace

void add_completion_command(Program& program) {
  Command& command = program.add_command("completion", tr("Print a script that completes command lines in a shell"));
  struct Settings {
    std::vector<std::string> words;
    bool candidates = false;
  };
  auto settings = std::make_shared<Settings>();
  command.add_operand("SHELL", settings->words, tr("bash, fish or zsh"))->offers([] {
    return Texts{"bash", "fish", "zsh"};
  });
  command
      .add_flag("--candidates", settings->candidates,
                tr("For the scripts: print candidates for the end of a command line"))
      ->manual(
          "For the scripts: the words of a command line after the program's name are given, the last one "
          "being typed, and its candidates are printed, one a line with a description after a tab, or "
          "`:files` for names of files.");
  command.footer(tr(kExamples));
  command.exit_status({ExitCode::ok, ExitCode::usage});
  command.action([=, &program] {
    const Texts& given = settings->words;
    if (settings->candidates) return print(answer(complete(program, given)));
    if (given.size() != 1) throw Failure(ExitCode::usage, tr("name a shell: bash, fish or zsh"));
    const char* const script = completion_script(given[0]);
    if (script == nullptr) {
      throw Failure(ExitCode::usage, tr("no completion for {1}", quote_name(given[0])),
                    tr("there is one for bash, fish and zsh"));
    }
    print(script);
  });
}

}  // namespace vsh::cli
