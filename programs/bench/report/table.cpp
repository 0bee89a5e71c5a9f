#include "programs/bench/report/table.hpp"

#include <algorithm>

#include "programs/bench/report/format.hpp"
#include "programs/bench/report/published.hpp"
#include "programs/bench/setup/options.hpp"

namespace vsh::bench {
namespace {

// Returns the fastest by core cycles; null if no row fits.
template <class F>
const Result* fastest(const std::vector<Result>& results, F fits) {
  const Result* best = nullptr;
  for (const Result& r : results)
    if (fits(r) && (!best || r.cpb() < best->cpb())) best = &r;
  return best;
}

std::string note(const Result& r) {
  std::string note;
  if (r.chosen) append(note, "chosen");
  if (!r.peer && !r.constant_time) append(note, "tables, not constant-time");
  if (!r.sbox.empty()) append(note, "S-box " + r.sbox);
  if (r.in_place) append(note, "in place");
  if (r.alignment) append(note, format("offset %zu", r.alignment));
  if (r.cost.rough) append(note, "rough: disturbed");
  if (r.threads > 1)
    append(note, format("wall %.3g ms, CPU %.3g ms", r.cost.wall_seconds * 1e3, r.cost.cpu_seconds * 1e3));
  if (r.efficiency)
    append(note, format("%.2f x one thread, efficiency %.2f", *r.efficiency * r.threads, *r.efficiency));
  return note;
}

}  // namespace

void Table::peers(const Peers& peers) {
  for (const auto& peer : peers.found) out_ << "peer      " << peer->name() << " " << peer->version() << "\n";
  for (const auto& missing : peers.missing)
    out_ << "peer      " << missing.name << ": not measured (" << missing.why << ")\n";
}

void Table::heading(const std::string& algorithm) {
  out_ << "\n"
       << algorithm << "\n"
       << format("  %-4s %-7s %8s %3s  %-13s %8s %8s %8s %6s %4s\n", "mode", "work", "bytes", "thr", "kernel", "MB/s",
                 "core c/B", "TSC c/B", "spread", "drop");
}

void Table::row(const Result& r, const std::string& note) {
  out_ << format("  %-4s %-7s %8s %3u  %-13s %8.1f %8.2f %8.2f %5.1f%% %4d", r.work.mode.c_str(),
                 r.work.operation.c_str(), format_size(r.bytes).c_str(), r.threads, r.kernel.c_str(), r.mbps(), r.cpb(),
                 r.cpb_tsc(), 100 * r.cost.spread, r.cost.dropped)
       << (note.empty() ? "" : "  ") << note << "\n";
}

void Table::add(const Outcome& outcome) {
  const Result* ours = fastest(outcome.results, [](const Result& r) { return !r.peer && r.constant_time; });
  for (const Result& r : outcome.results) {
    std::string text = note(r);
    if (r.peer && ours) append(text, "ours " + short_number(r.cpb() / ours->cpb()) + " x");
    row(r, text);
  }
  wrong(outcome);
  compare_with_best_peer(outcome);
  compare_with_copy(outcome);
}

void Table::wrong(const Outcome& outcome) {
  for (const Wrong& w : outcome.wrong)
    out_ << "  " << w.work.mode << " " << w.work.operation << ": " << w.who << ": WRONG RESULT, not timed\n";
}

void Table::compare_with_best_peer(const Outcome& outcome) {
  const Result* peer = fastest(outcome.results, [](const Result& r) { return r.peer.has_value(); });
  const Result* ours = fastest(outcome.results, [](const Result& r) { return !r.peer && r.constant_time; });
  const Result* tables = fastest(outcome.results, [](const Result& r) { return !r.peer && !r.constant_time; });
  const auto times = [&](const Result* r) { return short_number(peer->cpb() / r->cpb()) + " x (" + r->kernel; };
  if (!peer || (!ours && !tables)) return;
  std::string text;
  if (ours) append(text, times(ours) + ", constant time)");
  if (tables && (!ours || tables->cpb() < ours->cpb())) append(text, times(tables) + ", not constant-time)");
  out_ << "  best peer: " << peer->kernel << " " << short_number(peer->cpb()) << " c/B; ours " << text << "\n";
}

void Table::compare_with_copy(const Outcome& outcome) {
  const Result* ours = fastest(outcome.results, [](const Result& r) { return !r.peer && r.copy_mbps; });
  if (!ours) return;
  out_ << format("  copy of the buffer by memcpy, %u thread%s: %.0f MB/s; %s reaches %.0f %% of it\n", ours->threads,
                 ours->threads == 1 ? "" : "s", *ours->copy_mbps, ours->kernel.c_str(),
                 100 * ours->mbps() / *ours->copy_mbps);
}

void Table::key_setup(const std::vector<KeySetup>& list) {
  if (list.empty()) return;
  out_ << "  a new key (context made and wiped), and ECB of 4 KiB with a prepared key and with a new one\n";
  for (const KeySetup& k : list)
    out_ << format("    %-13s %8.0f cycles  %8.2f -> %.2f c/B (%+.0f %%)\n", k.kernel.c_str(), k.cycles, k.cpb_prepared,
                   k.cpb_new_key, 100 * k.loss());
}

void Table::published(const std::string& algorithm) {
  const auto figures = published_for(algorithm);
  if (figures.empty()) return;
  out_ << "  published (by others, on their machines; not measured here)\n";
  for (const PublishedFigure& f : figures) {
    const std::string speed = f.mbps > 0 ? format("%.0f MB/s", f.mbps) : "";
    const std::string cycles = f.cpb > 0 ? short_number(f.cpb) + " c/B" : "";
    out_ << format("    %-10s %10s %8s  ", f.mode.c_str(), speed.c_str(), cycles.c_str()) << f.platform
         << (f.threads.empty() ? "" : ", threads: " + f.threads) << (f.technique.empty() ? "" : ": " + f.technique)
         << " [" << f.source.substr(0, f.source.find(';')) << "]\n";
  }
}

void Table::legend() {
  out_ << "\nMB/s: 10^6 bytes a second of wall time. core c/B: core clock cycles per byte and core. TSC c/B: "
          "time-stamp "
          "ticks.\nspread: MAD over median. drop: samples left out because the probe saw the machine "
          "disturbed.\n";
}

}  // namespace vsh::bench
