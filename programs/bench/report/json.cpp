#include "programs/bench/report/json.hpp"

#include <algorithm>
#include <span>
#include <sstream>
#include <utility>

#include "programs/bench/report/format.hpp"
#include "programs/bench/report/published.hpp"

namespace vsh::bench {
namespace {

using cli::Json;
using cli::JsonArray;
using cli::JsonObject;

Object result_json(const Result& r) {
  const auto of_kernel = [&](const Json& value) { return r.peer ? Json() : value; };
  return {{"algorithm", r.work.algorithm},
          {"mode", r.work.mode},
          {"operation", r.work.operation},
          {"kernel", of_kernel(r.kernel)},
          {"constant_time", of_kernel(r.constant_time)},
          {"bytes", r.bytes},
          {"threads", r.threads},
          {"alignment", r.alignment},
          {"in_place", r.in_place},
          {"mbps", r.mbps()},
          {"cpb", r.cpb()},
          {"cpb_tsc", r.cost.time_stamps > 0 ? Json(r.cpb_tsc()) : Json()},
          {"spread", r.cost.spread},
          {"dropped", r.cost.dropped},
          {"chosen", r.chosen},
          {"efficiency", r.efficiency},
          {"copy_mbps", r.copy_mbps},
          {"peer", r.peer ? Object{{"name", r.peer->name}, {"version", r.peer->version}} : Json()}};
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

double three_digits(double value) { return std::stod(format("%.3g", value)); }

// A line of a submission: the measurements of one work.
JsonObject submission_line(std::span<const Result* const> results) {
  const Result& first = *results[0];
  JsonObject line{{"algorithm", first.work.algorithm},
                  {"mode", first.work.mode},
                  {"operation", first.work.operation},
                  {"bytes", first.bytes},
                  {"threads", first.threads}};
  JsonObject kernels, peers;
  JsonArray rough;
  for (const Result* r : results) {
    const std::string& name = r->peer ? r->peer->name : r->kernel;
    if (r->chosen && !r->peer) line.add("chosen", name).add("spread", three_digits(r->cost.spread));
    (r->peer ? peers : kernels).add(name, three_digits(r->cpb()));
    if (r->cost.rough) rough.add(name);
  }
  for (const auto& [name, value] : {JsonObject::Member("cpb", kernels), {"peers", peers}, {"rough", rough}})
    if (value.text().size() > 2) line.add(name, value);
  return line;
}

}  // namespace

Object machine_json(const measure::Machine& m, const Peers& peers) {
  const auto or_null = [](double value) { return value > 0 ? Json(value) : Json(); };
  const Object clocks = {
      {"core", Object{{"source", "chain of dependent additions"}, {"hz", m.quiet.core_hz}}},
      {"tsc", Object{{"source", measure::time_stamp_name()}, {"hz", m.tsc_hz}}},
      {"perf", Object{{"source", "perf_event_open cycles"}, {"cycles_per_addition", or_null(m.perf_cycles_per_add)}}},
      {"wall", Object{{"source", "CLOCK_MONOTONIC"}}},
      {"cpu", Object{{"source", "CLOCK_PROCESS_CPUTIME_ID"}}}};
  List list;
  for (const auto& peer : peers.found)
    list.add(Object{{"name", peer->name()}, {"version", peer->version()}, {"not_measured", Json()}});
  for (const auto& missing : peers.missing)
    list.add(Object{{"name", missing.name}, {"version", Json()}, {"not_measured", missing.why}});

  return {{"cpu", m.cpu},
          {"features", List(words_of(m.features))},
          {"clocks", clocks},
          {"compiler", m.compiler},
          {"version", m.version},
          {"processors", m.processors},
          {"governor", m.governor.empty() ? Json() : Json(m.governor)},
          {"date", m.date},
          {"pinned_to", m.pinned_to < 0 ? Json() : Json(m.pinned_to)},
          {"peers", list}};
}

std::string to_json(const Report& report) {
  List results, key_setups;
  std::vector<std::string> algorithms;
  for (const Result& r : report.results) {
    results.add(result_json(r));
    if (std::find(algorithms.begin(), algorithms.end(), r.work.algorithm) == algorithms.end())
      algorithms.push_back(r.work.algorithm);
  }
  for (const KeySetup& k : report.key_setups)
    key_setups.add(Object{{"algorithm", k.algorithm},
                          {"kernel", k.kernel},
                          {"cycles", k.cycles},
                          {"bytes_per_key", KeySetup::kBytesPerKey},
                          {"cpb_prepared", k.cpb_prepared},
                          {"cpb_new_key", k.cpb_new_key}});
  const Object root = {{"machine", machine_json(report.machine, report.peers)},
                       {"results", results},
                       {"key_setup", key_setups},
                       {"published", published_json(algorithms)}};
  return root.text() + "\n";
}

std::string to_submission(const Report& report) {
  std::vector<const Result*> rest;
  for (const Result& r : report.results)
    if (!r.alignment && !r.in_place) rest.push_back(&r);
  std::string lines;
  while (!rest.empty()) {
    const Result& first = *rest[0];
    const auto others = std::stable_partition(rest.begin(), rest.end(), [&](const Result* r) {
      return r->work == first.work && r->bytes == first.bytes && r->threads == first.threads;
    });
    lines += (lines.empty() ? "\n" : ",\n") + submission_line({rest.begin(), others}).text();
    rest.erase(rest.begin(), others);
  }
  const measure::Machine& m = report.machine;
  const JsonObject machine{{"cpu", m.cpu},
                           {"features", JsonArray(words_of(m.features))},
                           {"ghz", three_digits(m.quiet.core_hz / 1e9)},
                           {"compiler", m.compiler},
                           {"version", m.version}};
  return "{\"machine\": " + machine.text() + ",\n\"results\": [" + lines + "\n]}\n";
}

}  // namespace vsh::bench
