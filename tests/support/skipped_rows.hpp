// The reasons for which rows are not tested here.
#pragma once

#include <iostream>
#include <string>

#include "core/registry.hpp"

namespace vsh::test {

// Prints which of these rows this CPU cannot run. For the suite that tests them (SetUpTestSuite), not where parameters
// are made: that happens in every run of a test program, whichever of its suites it is for.
template <class Rows>
void name_skipped_rows(const std::string& algorithm, const Rows& rows) {
  for (const auto* row : rows)
    if (!runnable(row->info))
      std::cerr << "SKIPPED: " << algorithm << " " << row->info.variant << ": this CPU has no "
                << cpu::feature_names(cpu::required(row->info.isa) & ~cpu::features()) << "\n";
}

}  // namespace vsh::test
