#include "measure/machine.hpp"

#include <cstdio>
#include <utility>

#include "core/cpu.hpp"

namespace vsh::measure {
namespace {

std::string compiler() {
#if defined(__clang__)
  const std::string name = "Clang " __clang_version__;
#elif defined(__LCC__)
  const std::string name = "lcc " + std::to_string(__LCC__) + " (" __VERSION__ ")";
#else
  const std::string name = "GCC " __VERSION__;
#endif
#if defined(VSH_MEASURE_CXX_FLAGS)
  const std::string flags = VSH_MEASURE_CXX_FLAGS;
  const size_t begin = flags.find_first_not_of(' ');
  if (begin != std::string::npos) return name + ", " + flags.substr(begin);
#endif
  return name;
}

}  // namespace

Machine describe_machine(unsigned processors, int pinned_to, std::string version, std::string forced) {
  return {cpu::model(),      cpu::feature_names(cpu::features()),
          compiler(),        std::move(version),
          processors,        pinned_to,
          std::move(forced), calibrate(),
          time_stamp_hz(),   perf_cycles_per_add()};
}

std::string to_text(const Machine& m) {
  char clocks[200];
  std::snprintf(clocks, sizeof clocks,
                "core %.3f GHz (dependent additions), time stamps %.3f GHz (%s), %.2f additions a cycle",
                m.quiet.core_hz / 1e9, m.tsc_hz / 1e9, time_stamp_name(), m.quiet.adds_per_cycle);
  char perf[100] = "perf_event_open not allowed";
  if (m.perf_cycles_per_add > 0)
    std::snprintf(perf, sizeof perf, "perf_event_open counts %.3f cycles an addition", m.perf_cycles_per_add);
  std::string text = "CPU       " + m.cpu + ": " + m.features + "\n";
  text += "clocks    " + std::string(clocks) + "; " + perf + "\n";
  text += "library   Vershina " + m.version + ", " + m.compiler + "\n";
  text += "run       " + std::to_string(m.processors) + " processors";
  if (m.pinned_to >= 0) text += "; one thread is pinned to processor " + std::to_string(m.pinned_to);
  if (!m.forced.empty()) text += "; the library's choice is VERSHINA_KERNEL=" + m.forced;
  return text + "\n";
}

}  // namespace vsh::measure
