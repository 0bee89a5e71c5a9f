#include "bench/report/json.hpp"

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "bench/report/published.hpp"

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

}  // namespace

Json machine_json(const measure::Machine& m, const Peers& peers) {
  Json features = Json::array();
  std::istringstream words(m.features);
  for (std::string word; words >> word;) features.push_back(word);

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
          {"features", features},
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

}  // namespace vsh::bench
