#include "tunnel/statistics.hpp"

#include <cstdio>

#include "cli/text/translate.hpp"

namespace vsh::tunnel {
namespace {

double gbps(uint64_t now, uint64_t before, double seconds) {
  return seconds > 0 ? 8e-9 * static_cast<double>(now - before) / seconds : 0;
}

std::string decimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

}  // namespace

std::string totals_text(const Totals& now, const Totals& before, double seconds) {
  std::string text =
      cli::tr("sending {1} Gbit/s, receiving {2} Gbit/s", decimal(gbps(now.sent_bytes, before.sent_bytes, seconds)),
              decimal(gbps(now.received_bytes, before.received_bytes, seconds))) +
      "\n";
#define X(name, words) \
  if (now.name) text += "  " + cli::tr("{1}: {2}", cli::tr(words), now.name) + "\n";
  VSH_TUNNEL_COUNTERS(X)
#undef X
  return text;
}

std::string totals_json(const Totals& now, const Totals& before, double seconds) {
  std::string text = "{\"seconds\": " + decimal(seconds);
  text += ", \"sent_gbps\": " + decimal(gbps(now.sent_bytes, before.sent_bytes, seconds));
  text += ", \"received_gbps\": " + decimal(gbps(now.received_bytes, before.received_bytes, seconds));
#define X(name, words) text += ", \"" #name "\": " + std::to_string(now.name);
  VSH_TUNNEL_COUNTERS(X)
#undef X
  return text + "}\n";
}

}  // namespace vsh::tunnel
