// The state of tuning, for the user.
#pragma once

#include <vershina/vershina.h>

#include <string>

#include "cli/text/text.hpp"

namespace vsh::cli {

// state: "tuned". Returns "tuned: FILE", "not tuned: there is no FILE", "not tuned: FILE: it was measured on another
// CPU model".
inline std::string describe_tuning(vsh_tuning_subject subject, const std::string& state) {
  vsh_tuning_info info{};
  (void)vsh_tuning(subject, &info);
  const std::string problem = info.problem, path = info.path;
  if (problem.empty()) return state + ": " + quote_name(path);
  if (info.missing) return "not " + state + ": there is no " + quote_name(path);
  return "not " + state + ": " + (path.empty() ? "" : quote_name(path) + ": ") + problem;
}

}  // namespace vsh::cli
