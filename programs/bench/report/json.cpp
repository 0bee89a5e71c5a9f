#include "programs/bench/report/json.hpp"

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "programs/bench/report/format.hpp"
#include "programs/bench/report/published.hpp"

namespace vsh::bench {
namespace {

using Json = nlohmann::ordered_json;

Json result_json(const Result& r) {
  Json peer = nullptr;
  if (r.peer) peer = {{"name", r.peer->name}, {"version", r.peer->version}};
  return {{"algorithm", r.work.algorithm},
          {"mode", r.work.mode},
          {"operation", r.work.operation},
          {"kernel", r.peer ? Json(nullptr) : Json(r.kernel)},
          {"constant_time", r.peer ? Json(nullptr) : Json(r.constant_time)},
          {"bytes", r.bytes},
          {"threads", r.threads},
          {"alignment", r.alignment},
          {"in_place", r.in_place},
          {"mbps", r.mbps()},
          {"cpb", r.cpb()},
          {"cpb_tsc", r.cost.time_stamps > 0 ? Json(r.cpb_tsc()) : Json(nullptr)},
          {"spread", r.cost.spread},
          {"dropped", r.cost.dropped},
          {"chosen", r.chosen},
          {"efficiency", r.efficiency ? Json(*r.efficiency) : Json(nullptr)},
          {"copy_mbps", r.copy_mbps ? Json(*r.copy_mbps) : Json(nullptr)},
          {"peer", peer}};
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

double three_digits(double value) { return std::stod(format("%.3g", value)); }

}  // namespace

Json machine_json(const measure::Machine& m, const Peers& peers) {
  Json clocks;
  clocks["core"] = {{"source", "chain of dependent additions"}, {"hz", m.quiet.core_hz}};
  clocks["tsc"] = {{"source", measure::time_stamp_name()}, {"hz", m.tsc_hz}};
  clocks["perf"] = {{"source", "perf_event_open cycles"}, {"cycles_per_addition", nullptr}};
  if (m.perf_cycles_per_add > 0) clocks["perf"]["cycles_per_addition"] = m.perf_cycles_per_add;
  clocks["wall"] = {{"source", "CLOCK_MONOTONIC"}};
  clocks["cpu"] = {{"source", "CLOCK_PROCESS_CPUTIME_ID"}};

  Json list = Json::array();
  for (const auto& peer : peers.found)
    list.push_back({{"name", peer->name()}, {"version", peer->version()}, {"not_measured", nullptr}});
  for (const auto& missing : peers.missing)
    list.push_back({{"name", missing.name}, {"version", nullptr}, {"not_measured", missing.why}});

  return {{"cpu", m.cpu},
          {"features", words_of(m.features)},
          {"clocks", clocks},
          {"compiler", m.compiler},
          {"version", m.version},
          {"processors", m.processors},
          {"governor", m.governor.empty() ? Json(nullptr) : Json(m.governor)},
          {"date", m.date},
          {"pinned_to", m.pinned_to < 0 ? Json(nullptr) : Json(m.pinned_to)},
          {"peers", list}};
}

std::string to_json(const Report& report) {
  Json root;
  root["machine"] = machine_json(report.machine, report.peers);
  root["results"] = Json::array();
  std::vector<std::string> algorithms;
  for (const Result& r : report.results) {
    root["results"].push_back(result_json(r));
    if (std::find(algorithms.begin(), algorithms.end(), r.work.algorithm) == algorithms.end())
      algorithms.push_back(r.work.algorithm);
  }
  root["key_setup"] = Json::array();
  for (const KeySetup& k : report.key_setups)
    root["key_setup"].push_back({{"algorithm", k.algorithm},
                                 {"kernel", k.kernel},
                                 {"cycles", k.cycles},
                                 {"bytes_per_key", KeySetup::kBytesPerKey},
                                 {"cpb_prepared", k.cpb_prepared},
                                 {"cpb_new_key", k.cpb_new_key}});
  root["published"] = published_json(algorithms);
  return root.dump(2) + "\n";
}

std::string to_submission(const Report& report) {
  std::vector<Json> lines;
  for (const Result& r : report.results) {
    const Json work = {{"algorithm", r.work.algorithm},
                       {"mode", r.work.mode},
                       {"operation", r.work.operation},
                       {"bytes", r.bytes},
                       {"threads", r.threads}};
    if (r.alignment || r.in_place) continue;
    const auto is_of = [&](const Json& line) {
      return std::all_of(work.items().begin(), work.items().end(),
                         [&](const auto& item) { return line[item.key()] == item.value(); });
    };
    auto line = std::find_if(lines.begin(), lines.end(), is_of);
    if (line == lines.end()) line = lines.insert(line, work);
    if (r.chosen && !r.peer) (*line)["chosen"] = r.kernel, (*line)["spread"] = three_digits(r.cost.spread);
    (*line)[r.peer ? "peers" : "cpb"][r.peer ? r.peer->name : r.kernel] = three_digits(r.cpb());
    if (r.cost.rough) (*line)["rough"].push_back(r.peer ? r.peer->name : r.kernel);
  }
  const measure::Machine& m = report.machine;
  const Json machine = {{"cpu", m.cpu},
                        {"features", words_of(m.features)},
                        {"ghz", three_digits(m.quiet.core_hz / 1e9)},
                        {"compiler", m.compiler},
                        {"version", m.version}};
  std::string text = "{\"machine\": " + machine.dump() + ",\n\"results\": [";
  for (size_t i = 0; i < lines.size(); ++i) text += (i ? ",\n" : "\n") + lines[i].dump();
  return text + "\n]}\n";
}

}  // namespace vsh::bench
