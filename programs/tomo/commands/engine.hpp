// The library's plans, with options of the command line and failures in plain words.
#pragma once

#include <vershina/tomography.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "programs/common/options/command.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/tomo/commands/prepared_scan.hpp"

namespace vsh::tomo {

struct FreePlan {
  void operator()(vsh_tomo_plan* plan) const { vsh_tomo_plan_free(plan); }
};
using EnginePlan = std::unique_ptr<vsh_tomo_plan, FreePlan>;

// Throws the Failure of a status other than OK.
void check_tomo(vsh_tomo_status status);

// Options of commands that reconstruct: what a plan does.
class PlanOptions {
 public:
  void add_to(cli::Command& command);
  // Those of filtered back-projection alone.
  void add_fbp_to(cli::Command& command);

  // Returns a plan. Throws Failure.
  EnginePlan plan(const PreparedScan& scan, double centre) const;
  // A plan of a parallel beam; centre: a bin, nothing for the middle.
  EnginePlan plan(const std::vector<double>& radians, size_t num_bins, unsigned threads,
                  std::optional<double> centre = std::nullopt) const;
  // All angles get the same weight from now on.
  void weigh_equally() { options_.angle_weights = VSH_TOMO_UNIFORM; }
  // Plans from now on are parts of a whole turn, or of less.
  void take_as_parts(bool of_whole_turn) {
    options_.displaced = of_whole_turn ? VSH_TOMO_DISPLACED_YES : VSH_TOMO_DISPLACED_NO;
  }
  // Plans from now on report what they have done.
  void report_to(vsh_tomo_progress progress, void* context) {
    options_.progress = progress, options_.progress_context = context;
  }
  // Returns the choices: pairs of a word and its value.
  std::vector<std::pair<std::string, std::string>> steps() const;

 private:
  EnginePlan make(const vsh_tomo_geometry& geometry, unsigned threads) const;
  // Throws a Failure for an option that the algorithm would ignore.
  void check(vsh_tomo_beam beam) const;

  vsh_tomo_options options_ = VSH_TOMO_OPTIONS_INIT;
  std::string kernel_;
  const cli::Command* command_ = nullptr;  // that they were given to
};

}  // namespace vsh::tomo
