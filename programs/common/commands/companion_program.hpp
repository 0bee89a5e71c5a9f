// The common part of the programs behind `vershina disk`, `vershina tunnel` and `vershina tomo`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "programs/common/options/command.hpp"

namespace vsh::cli {

struct CompanionProgram {
  std::string_view name;         // "vershina disk", as it is called
  std::string (*description)();  // translated, so asked for when the language is known
  void (*add_commands)(Program& program);
  std::string_view waits_itself = {};           // the command, if any, that waits for signals itself
  std::vector<std::string_view> in_bench = {};  // commands that vershina-bench does
};

// Does what main() of such a program has to do, and returns its exit status.
int run_companion(const CompanionProgram& companion, int argc, char** argv);

}  // namespace vsh::cli
