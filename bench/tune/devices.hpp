// `vershina tune --device`: devices against the processor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/schedule/crossovers.hpp"

namespace vsh::bench {

// Measures the devices named by `wanted` ("all": those of `all`), in all works or only those of one algorithm, and
// returns them with earlier results of others. Calls show(current work). Throws Failure.
std::vector<gpu::Rate> measure_crossovers(const std::string& wanted, std::optional<Algorithm> only,
                                       const std::function<void(const std::string&)>& show);

std::string rates_table(const std::vector<gpu::Rate>& rates);

}  // namespace vsh::bench
