// Help texts, generated from the table of commands, within 110 columns.
#pragma once

#include <string>

#include "programs/common/options/command.hpp"

namespace vsh::cli {

std::string help_text(const Program& program);
std::string help_text(const Command& command);

// "Exit status: 0 success; 1 the data is wrong; ...": every code of the program.
std::string all_exit_codes();

}  // namespace vsh::cli
