#include "vershina/tuning.h"

#include <cstring>

#include "core/row_costs.hpp"
#include "gpu/schedule/crossovers.hpp"

vsh_status vsh_tuning_read(vsh_tuning_subject subject, vsh_tuning_info* info, size_t info_size) {
  using namespace vsh;
  if (!info || info_size > sizeof *info) return VSH_E_ARGUMENT;
  if (subject != VSH_TUNING_KERNELS && subject != VSH_TUNING_DEVICES) return VSH_E_ARGUMENT;
  const tuner::Source& source = subject == VSH_TUNING_KERNELS ? tuner::source() : gpu::crossovers_source();
  const vsh_tuning_info answer = {source.path.c_str(), source.problem.c_str(), source.missing};
  std::memcpy(info, &answer, info_size);
  return VSH_OK;
}
