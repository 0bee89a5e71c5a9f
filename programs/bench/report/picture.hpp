// README's picture: bars of a processor's file of figures and the best other library.
#pragma once

#include <string>

namespace vsh::bench {

// Returns the SVG for a file of `--submit`, in the user's language. Throws Failure.
std::string draw_submission(const std::string& name);

}  // namespace vsh::bench
