#include "programs/bench/report/summary.hpp"

#include <algorithm>

#include "programs/bench/report/format.hpp"
#include "programs/bench/setup/options.hpp"
#include "programs/common/text/columns.hpp"

namespace vsh::bench {
namespace {

bool same_group(const Result& a, const Result& b) {
  return a.work == b.work && a.bytes == b.bytes && a.threads == b.threads && a.alignment == b.alignment &&
         a.in_place == b.in_place;
}

// Orders our rows: the library's choice before other kernels, constant-time ones before tables, then by cost.
bool stands_before(const Result& a, const Result& b) {
  if (a.chosen != b.chosen) return a.chosen;
  if (a.constant_time != b.constant_time) return a.constant_time;
  return a.cpb() < b.cpb();
}

void take(Comparison& group, const Result& r) {
  if (r.peer) {
    if (!group.peer || r.cpb() < group.peer->cpb()) group.peer = &r;
  } else if (!group.ours || stands_before(r, *group.ours)) {
    group.ours = &r;
  }
}

bool is_representative(const Work& work) {
  return work.mode == "ctr" || work.mode == "cnt" || work.operation == "hash";
}

const Result& row_of(const Comparison& c) { return c.ours ? *c.ours : *c.peer; }

// Returns whether `a` is the better row to stand for its algorithm.
bool better(const Result& a, const Result& b) {
  if (is_representative(a.work) != is_representative(b.work)) return is_representative(a.work);
  return a.mbps() > b.mbps();
}

std::string peer_cell(const AlgorithmSummary& s) {
  if (!s.one.peer) return "";
  if (!s.one.ours) return s.one.peer->kernel + ", a yardstick";
  return format("%s x %s (%s)", short_number(s.one.ratio()).c_str(), s.one.peer->kernel.c_str(),
                short_number(s.one.peer->mbps()).c_str());
}

std::string table(const std::vector<Result>& results) {
  const std::vector<AlgorithmSummary> list = summarize(results);
  bool peers = false;
  unsigned threads = 1;
  for (const AlgorithmSummary& s : list) {
    peers = peers || s.one.peer;
    if (s.all) threads = std::max(threads, s.all->threads);
  }
  std::vector<std::vector<std::string>> rows = {{"ALGORITHM", "", "MB/S, 1 THREAD"}};
  if (threads > 1) rows[0].push_back(std::to_string(threads) + " THREADS");
  rows[0].insert(rows[0].end(), {"C/B", "KERNEL"});
  if (peers) rows[0].push_back("TIMES AS FAST AS THE BEST OTHER LIBRARY (MB/S)");
  for (const AlgorithmSummary& s : list) {
    const Result& r = row_of(s.one);
    std::vector<std::string> row = {s.algorithm, r.work.operation == "hash" ? "" : r.work.mode, short_number(r.mbps())};
    if (threads > 1) row.push_back(s.all ? short_number(s.all->mbps()) : "-");
    row.insert(row.end(), {short_number(r.cpb()), s.one.ours ? r.kernel : "-"});
    if (peers) row.push_back(peer_cell(s));
    rows.push_back(std::move(row));
  }
  return cli::align_columns(rows, threads > 1 ? std::vector<size_t>{2, 3, 4} : std::vector<size_t>{2, 3});
}

std::string verdict_line(const std::vector<Result>& results) {
  const Verdict v = judge(results);
  if (v.least <= 0) return "";
  std::string text = format("Compared with the best other library, %zu comparisons: %s to %s times as fast",
                            v.faster + v.slower, short_number(v.least).c_str(), short_number(v.most).c_str());
  if (v.slower > 0) text += format("; slower in %zu (most in %s)", v.slower, v.slowest.c_str());
  return text + "\n";
}

}  // namespace

std::string work_name(const Work& work) {
  // These have one direction.
  const bool is_keystream =
      work.mode.starts_with("ctr") || work.mode.starts_with("cnt") || work.mode.starts_with("ofb");
  return work.algorithm + (work.operation == "hash" ? "" : " " + work.mode) +
         (work.transforms() && !is_keystream ? " " + work.operation : "");
}

std::vector<Comparison> compare(const std::vector<Result>& results) {
  std::vector<Comparison> groups;
  for (const Result& r : results) {
    if (r.threads != 1) continue;
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Comparison& c) { return same_group(row_of(c), r); });
    if (group == groups.end()) group = groups.insert(groups.end(), Comparison{});
    take(*group, r);
  }
  return groups;
}

std::vector<AlgorithmSummary> summarize(const std::vector<Result>& results) {
  std::vector<AlgorithmSummary> list;
  for (const Comparison& c : compare(results)) {
    const std::string& algorithm = row_of(c).work.algorithm;
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& s) { return s.algorithm == algorithm; });
    if (found == list.end()) list.push_back({algorithm, c, nullptr});
    else if (better(row_of(c), row_of(found->one))) found->one = c;
  }
  unsigned most = 1;
  for (const Result& r : results) most = std::max(most, r.threads);
  for (const Result& r : results) {
    if (r.peer || r.threads != most || most == 1) continue;
    auto found = std::find_if(list.begin(), list.end(), [&](const auto& s) { return s.algorithm == r.work.algorithm; });
    if (found == list.end()) found = list.insert(list.end(), {r.work.algorithm, {&r, nullptr}, nullptr});
    const bool same_work = r.work == row_of(found->one).work;
    if (same_work && (!found->all || r.mbps() > found->all->mbps())) found->all = &r;
  }
  return list;
}

Verdict judge(const std::vector<Result>& results) {
  Verdict v;
  for (const Comparison& c : compare(results)) {
    if (!c.ours || !c.peer) continue;
    const double ratio = c.ratio();
    (ratio < 1 ? v.slower : v.faster) += 1;
    if (v.least == 0 || ratio < v.least)
      v.least = ratio, v.slowest = work_name(c.ours->work) + " of " + format_size(c.ours->bytes) +
                                   (c.ours->bytes < 1024 ? " bytes" : "");
    v.most = std::max(v.most, ratio);
  }
  return v;
}

std::string summary_head(const measure::Machine& m, const Peers& peers) {
  std::string found, missing;
  for (const auto& peer : peers.found) append(found, peer->name() + " " + peer->version());
  for (const auto& absent : peers.missing) append(missing, absent.name + " (" + absent.why + ")");
  std::string text = "CPU       " + m.cpu + ": " + m.features + format(", %.2f GHz\n", m.quiet.core_hz / 1e9);
  text += "library   Vershina " + m.version + ", " + m.compiler + "\n";
  text += measure::run_line(m);
  if (!found.empty()) text += "peers     " + found + "\n";
  if (!missing.empty()) text += "          not measured: " + missing + "\n";
  return text;
}

std::string summary_text(const Report& report) {
  std::string text = table(report.results), wrong;
  for (const Wrong& w : report.wrong) append(wrong, work_name(w.work) + " by " + w.who);
  if (!wrong.empty()) text += "WRONG RESULT, not timed: " + wrong + "\n";
  text += verdict_line(report.results);
  const auto rough =
      std::count_if(report.results.begin(), report.results.end(), [](const Result& r) { return r.cost.rough; });
  if (rough > 0) text += format("%td of %zu rows are rough: the machine was busy\n", rough, report.results.size());
  return text;
}

std::string at_most(const std::string& text, size_t lines) {
  const size_t count = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  if (count <= lines) return text;
  size_t end = 0;
  for (size_t i = 0; i + 1 < lines; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end) + format("and %zu lines more: --all\n", count - lines + 1);
}

}  // namespace vsh::bench
