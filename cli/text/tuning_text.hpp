// The state of tuning, for the user.
#pragma once

#include <vershina/vershina.h>

#include <string>

#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

namespace vsh::cli {

// Returns "tuned: FILE", "not tuned: there is no FILE", "not tuned: FILE: it was measured on another CPU model"; of
// devices "measured".
inline std::string describe_tuning(vsh_tuning_subject subject) {
  vsh_tuning_info info{};
  (void)vsh_tuning(subject, &info);
  const bool tunes = subject == VSH_TUNING_KERNELS;
  const std::string path = *info.path != '\0' ? quote_name(info.path) : "";
  if (*info.problem == '\0') return tunes ? tr("tuned: {1}", path) : tr("measured: {1}", path);
  if (info.missing) return tunes ? tr("not tuned: there is no {1}", path) : tr("not measured: there is no {1}", path);
  const std::string why = (path.empty() ? "" : path + ": ") + tr(info.problem);
  return tunes ? tr("not tuned: {1}", why) : tr("not measured: {1}", why);
}

}  // namespace vsh::cli
