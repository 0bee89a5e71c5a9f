#include "measure/machine.hpp"

#include <cstdio>
#include <ctime>
#include <fstream>
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

std::string governor(int processor) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/cpufreq/scaling_governor");
  std::string name;
  file >> name;
  return name;
}

std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  char text[40];
  return gmtime_r(&now, &utc) && std::strftime(text, sizeof text, "%Y-%m-%dT%H:%MZ", &utc) ? text : "";
}

}  // namespace

Machine describe_machine(unsigned processors, int pinned_to, std::string version, std::string forced) {
  return {cpu::model(),
          cpu::feature_names(cpu::features()),
          compiler(),
          std::move(version),
          processors,
          pinned_to,
          std::move(forced),
          calibrate(),
          time_stamp_hz(),
          perf_cycles_per_add(),
          governor(pinned_to < 0 ? 0 : pinned_to),
          date()};
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
  return text + run_line(m);
}

std::string run_line(const Machine& m) {
  std::string text = "run       " + std::to_string(m.processors) + (m.processors == 1 ? " processor" : " processors");
  if (m.pinned_to >= 0) text += "; one thread is pinned to processor " + std::to_string(m.pinned_to);
  if (!m.forced.empty()) text += "; the library's choice is VERSHINA_KERNEL=" + m.forced;
  return text + "\n";
}

}  // namespace vsh::measure
