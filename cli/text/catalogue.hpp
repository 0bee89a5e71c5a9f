// Where the catalogue of messages is.
#pragma once

#include <string>

namespace vsh::cli {

// Turns translation on, with the catalogues in this directory.
void translate_from(const std::string& catalogues);

}  // namespace vsh::cli
