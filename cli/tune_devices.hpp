// `vershina tune --device`: devices against the processor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/rates.hpp"

namespace vsh::cli {

// The devices that `wanted` names ("all": all that `auto` may use), every cipher and mode that they do, and what was
// measured of other devices before. show(what is measured now). Throws Failure.
std::vector<gpu::Rate> measure_devices(const std::string& wanted, const std::function<void(const std::string&)>& show);

std::string rates_table(const std::vector<gpu::Rate>& rates);

}  // namespace vsh::cli
