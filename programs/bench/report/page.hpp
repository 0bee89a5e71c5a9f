// A run as one page of HTML, without scripts and without anything that it would have to load.
#pragma once

#include <string>

#include "programs/bench/report/json.hpp"

namespace vsh::bench {

std::string to_html(const Report& report);

}  // namespace vsh::bench
