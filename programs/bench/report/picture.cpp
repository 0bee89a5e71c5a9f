#include "programs/bench/report/picture.hpp"

#include <stdexcept>
#include <vector>

#include "programs/bench/report/bars.hpp"
#include "programs/bench/report/format.hpp"
#include "programs/common/files/input_file.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/parse_json.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;  // of a file
constexpr struct {
  const char *algorithm, *mode, *title;
} kDrawn[] = {
    {"kuznyechik", "ctr", cli::mark("Kuznyechik CTR")}, {"kuznyechik", "mgm", cli::mark("Kuznyechik MGM")},
    {"magma", "ctr", cli::mark("Magma CTR")},           {"magma", "mgm", cli::mark("Magma MGM")},
    {"streebog256", "hash", cli::mark("Streebog-256")}, {"aes256", "ctr", cli::mark("AES-256 CTR, a yardstick")}};

// Returns a clock in GHz or a cost in c/B. Throws for a number that no machine has, and no axis could show.
double measured(const nlohmann::json& value) {
  const double number = value.get<double>();
  if (!(number >= 1e-3 && number <= 1e6)) throw std::domain_error("out of bounds");
  return number;
}

// Vershina's choice of kernel, and the best other library. mhz: of the core.
BarGroup group_of(const nlohmann::json& line, const std::string& title, double mhz) {
  BarGroup group{title, {}};
  std::string best;
  double peer = 0;  // c/B
  if (line.contains("peers")) {
    for (const auto& [name, cpb] : line["peers"].items())
      if (best.empty() || measured(cpb) < peer) best = name, peer = measured(cpb);
  }
  if (line.contains("chosen")) {
    const double own = measured(line.at("cpb").at(line["chosen"].get<std::string>()));
    group.bars.push_back({"Vershina", Bar::Kind::own, mhz / own, best.empty() ? "" : short_number(peer / own) + " x"});
  }
  if (!best.empty()) group.bars.push_back({best, Bar::Kind::peer, mhz / peer, ""});
  return group;
}

BarChart chart_of(const nlohmann::json& document) {
  const auto& machine = document.at("machine");
  const double ghz = measured(machine.at("ghz"));
  BarChart chart{cli::tr("MB/s on one core: longer is faster"), cli::tr("MB/s"), {}};
  chart.heading = chart.title + "; " + machine.at("cpu").get<std::string>() + format(", %.2f GHz, ", ghz) +
                  machine.at("compiler").get<std::string>();
  for (const auto& drawn : kDrawn)
    for (const auto& line : document.at("results"))
      if (line.at("algorithm") == drawn.algorithm && line.at("mode") == drawn.mode && line.at("bytes") == 16384 &&
          line.at("threads") == 1 && line.at("operation") != "decrypt")
        chart.groups.push_back(group_of(line, cli::tr(drawn.title), 1000 * ghz));
  return chart;
}

}  // namespace

std::string draw_submission(const std::string& name) {
  cli::InputFile file(name);
  std::vector<uint8_t> text(kMostBytes);
  text.resize(file.read_all(text));
  try {
    const BarChart chart = chart_of(cli::parse_json({reinterpret_cast<const char*>(text.data()), text.size()}));
    if (!chart.groups.empty()) return to_svg(chart);
  } catch (const nlohmann::json::exception&) {
  } catch (const std::domain_error&) {
  }
  throw cli::Failure(cli::ExitCode::data,
                     cli::tr("{1}: no figures of 16 KiB on one thread by `vershina bench --submit`", file.name()));
}

}  // namespace vsh::bench
