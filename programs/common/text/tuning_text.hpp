// The state of tuning, for the user.
#pragma once

#include <vershina/vershina.h>

#include <string>

#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

// Returns "tuned: FILE", "not tuned: there is no FILE", "not tuned: FILE: it was measured on another CPU model"; of
// devices "measured".
inline std::string describe_tuning(const std::string& file, const std::string& problem, bool missing,
                                   bool tunes = true) {
  const std::string path = file.empty() ? "" : quote_name(file);
  if (problem.empty()) return tunes ? tr("tuned: {1}", path) : tr("measured: {1}", path);
  if (missing) return tunes ? tr("not tuned: there is no {1}", path) : tr("not measured: there is no {1}", path);
  const std::string why = (path.empty() ? "" : path + ": ") + tr(problem.c_str());
  return tunes ? tr("not tuned: {1}", why) : tr("not measured: {1}", why);
}

inline std::string describe_tuning(vsh_tuning_subject subject) {
  vsh_tuning_info info{};
  (void)vsh_tuning(subject, &info);
  return describe_tuning(info.path, info.problem, info.missing != 0, subject == VSH_TUNING_KERNELS);
}

}  // namespace vsh::cli
