#include "programs/tunnel/statistics.hpp"

#include <cmath>
#include <cstdio>

#include "programs/common/text/json.hpp"
#include "programs/common/text/translate.hpp"

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

std::string totals_text(const Totals& now, const Totals& before, const Period& period) {
  std::string text =
      cli::tr("sending {1} Gbit/s, receiving {2} Gbit/s",
              decimal(gbps(now.sent_bytes, before.sent_bytes, period.seconds)),
              decimal(gbps(now.received_bytes, before.received_bytes, period.seconds))) +
      "\n  " +
      (std::isinf(period.silence) ? std::string(cli::tr("the peer has not answered"))
                                  : cli::tr("last answer of the peer: {1} s ago", std::lround(period.silence))) +
      "\n";
#define X(name, words) \
  if (now.name) text += "  " + cli::tr("{1}: {2}", cli::tr(words), now.name) + "\n";
  VSH_TUNNEL_COUNTERS(X)
#undef X
  return text;
}

std::string totals_json(const Totals& now, const Totals& before, const Period& period) {
  const auto decimals = [](double value) { return cli::Json::fixed(value, 3); };
  cli::JsonObject object{{"seconds", decimals(period.seconds)},
                         {"silence", std::isinf(period.silence) ? cli::Json() : decimals(period.silence)},
                         {"sent_gbps", decimals(gbps(now.sent_bytes, before.sent_bytes, period.seconds))},
                         {"received_gbps", decimals(gbps(now.received_bytes, before.received_bytes, period.seconds))}};
#define X(name, words) object.add(#name, now.name);
  VSH_TUNNEL_COUNTERS(X)
#undef X
  return object.text() + "\n";
}

}  // namespace vsh::tunnel
