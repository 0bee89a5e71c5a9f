// The command line on its way to CLI11 and back.
#pragma once

#include <string>
#include <vector>

namespace vsh::cli {

// The arguments in the order that CLI11 takes them (last first). Keys are overwritten in argv, where `ps`
// would show them. Arguments like "[a,b]" get a mark in front, because CLI11 would read a list of two where
// an option takes several values, and has no switch for that; file names go through unmark() afterwards.
std::vector<std::string> take_arguments(int argc, char** argv);

std::string unmark(std::string argument);
std::vector<std::string> unmark(std::vector<std::string> arguments);

}  // namespace vsh::cli
