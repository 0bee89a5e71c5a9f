// `vershina tune --device`: devices against the processor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/schedule/crossovers.hpp"

namespace vsh::bench {

// Measures the devices that `wanted` names ("all": all that `all` means), in all works or those of one algorithm only,
// and keeps earlier results of others. Calls show(what is measured now). Throws Failure.
std::vector<gpu::Crossover> measure_crossovers(const std::string& wanted, std::optional<Algorithm> only,
                                               const std::function<void(const std::string&)>& show);

// Returns a line for each device and algorithm, a few at most; the table has all results.
std::string crossovers_summary(const std::vector<gpu::Crossover>& rows);
std::string crossovers_table(const std::vector<gpu::Crossover>& rows);

}  // namespace vsh::bench
