#include "programs/bench/report/page.hpp"

#include <algorithm>
#include <map>

#include "programs/bench/report/bars.hpp"
#include "programs/bench/report/chart.hpp"
#include "programs/bench/report/format.hpp"
#include "programs/bench/report/published.hpp"
#include "programs/bench/report/summary.hpp"
#include "programs/bench/setup/options.hpp"

namespace vsh::bench {
namespace {

// Follows the reader's light or dark scheme; on paper everything is light.
constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --paper: #fcfcfa; --ink: #1d1f21; --soft: #62666a; --line: #dddcd6; --own: #0067a8;
  --peer: #a9a79e; --published: #d99a2b; --wash: #f2f1ec; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #16181a; --ink: #e6e4de; --soft: #9a9c9e; --line: #36393c; --own: #4aa8e0; --peer: #74777a;
    --published: #c98f35; --wash: #1f2225; }
  .colour0 { stroke: #4aa8e0; } .colour1 { stroke: #f0803c; } .colour2 { stroke: #2fc194; }
  .colour3 { stroke: #e291c0; }
  .colour6 { stroke: #b48ad0; } .colour7 { stroke: #a5a5a5; }
}
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2.4rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .2rem; }
p { max-width: 46rem; margin: .4rem 0; } .soft, figcaption { color: var(--soft); font-size: .9rem; }
.wrong { border-left: 4px solid #c0392b; padding-left: .8rem; }
code { font: .88em ui-monospace, monospace; background: var(--wash); padding: .1em .3em; overflow-wrap: anywhere; }
figure { margin: 1rem 0; } svg { display: block; width: 100%; height: auto; font: 13px system-ui, sans-serif; }
.grid { stroke: var(--line); stroke-width: 1; } .group, .title { font-weight: 600; font-size: 15px; }
.tick { fill: var(--soft); font-size: 12px; }
.own { fill: var(--own); } .peer { fill: var(--peer); } .published { fill: var(--published); }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 .8em; }
span.own { background: var(--own); } span.peer { background: var(--peer); }
span.published { background: var(--published); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .88rem; margin: .6rem 0; }
caption { text-align: left; color: var(--soft); padding: .2rem 0; }
th, td { text-align: left; padding: .2rem .9rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin: 1rem 0; font-size: .92rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; } summary { cursor: pointer; margin: .5rem 0; }
)";

constexpr size_t kMaxPublished = 3;  // in a group of bars; the table has all

// A table; numbers are aligned to the right. Cells are text, which is escaped here.
class HtmlTable {
 public:
  // numbers: the columns of numbers. id: empty, or for links and programs.
  HtmlTable(const std::string& caption, std::vector<std::string> head, std::vector<size_t> numbers,
            const std::string& id = {})
      : numbers_(std::move(numbers)) {
    text_ = "<div class=\"scroll\"><table" + (id.empty() ? "" : " id=\"" + id + "\"") + "><caption>" + escape(caption) +
            "</caption>\n<thead>" + row("th scope=\"col\"", "th", head) + "</thead><tbody>\n";
  }
  void add(const std::vector<std::string>& cells) { text_ += row("td", "td", cells); }
  std::string text() const { return text_ + "</tbody></table></div>\n"; }

 private:
  std::string row(const std::string& open, const std::string& close, const std::vector<std::string>& cells) const {
    std::string text = "<tr>";
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool number = std::find(numbers_.begin(), numbers_.end(), i) != numbers_.end();
      text += "<" + open + (number ? " class=\"n\">" : ">") + escape(cells[i]) + "</" + close + ">";
    }
    return text + "</tr>\n";
  }

  std::vector<size_t> numbers_;
  std::string text_;
};

std::string figure(const std::string& svg, const std::string& caption) {
  return "<figure>\n" + svg + "<figcaption>" + caption + "</figcaption></figure>\n";
}

std::string details(const std::string& summary, const std::string& content) {
  return "<details><summary>" + escape(summary) + "</summary>\n" + content + "</details>\n";
}

std::string name_of(const Result& r) { return r.peer ? r.kernel : "Vershina"; }

// ---- Machine --------------------------------------------------------------------------------------------------------

std::string machine_list(const Report& report) {
  const measure::Machine& m = report.machine;
  std::string text = "<dl>\n";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string("<dt>") + name + "</dt><dd>" + escape(value) + "</dd>\n";
  };
  add("processor", m.cpu);
  add("instructions", m.features);
  add("processors", std::to_string(m.processors) +
                        (m.pinned_to < 0 ? "" : "; one thread is pinned to number " + std::to_string(m.pinned_to)));
  add("core clock", format("%.2f GHz by dependent additions", m.quiet.core_hz / 1e9));
  add("governor", m.governor.empty() ? "not reported by the system" : m.governor);
  add("library", "Vershina " + m.version + (m.forced.empty() ? "" : "; VERSHINA_KERNEL=" + m.forced));
  add("compiler", m.compiler);
  std::string peers;
  for (const auto& peer : report.peers.found)
    peers += (peers.empty() ? "" : ", ") + peer->name() + " " + peer->version();
  for (const auto& p : report.peers.missing)
    peers += (peers.empty() ? "" : ", ") + p.name + " not measured (" + p.why + ")";
  add("other libraries", peers);
  add("date", m.date);
  if (!report.command.empty()) text += "<dt>command</dt><dd><code>" + escape(report.command) + "</code></dd>\n";
  return text + "</dl>\n";
}

// ---- By algorithm ---------------------------------------------------------------------------------------------------

const char* order_of(const Work& work) { return work.sequential() ? "sequential" : "parallel"; }

// Returns the published rates of one core for work of this kind, the fastest first.
std::vector<PublishedFigure> published_rates(const Work& work) {
  std::vector<PublishedFigure> list = published_for(work.algorithm);
  std::erase_if(list, [&](const PublishedFigure& f) {
    return f.mbps <= 0 || !f.threads.empty() || f.is_device || f.mode != order_of(work);
  });
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.mbps > b.mbps; });
  return list;
}

std::string published_name(const PublishedFigure& f) {
  return f.platform + (f.technique.empty() ? "" : ", " + f.technique);
}

std::string shortened(const std::string& text, size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

// Ours, and every other library in the same group, the fastest first.
std::vector<const Result*> group_of(const Report& report, const Comparison& c) {
  const Result& row = c.ours ? *c.ours : *c.peer;
  std::vector<const Result*> list;
  for (const Result& r : report.results)
    if (r.peer && r.work == row.work && r.bytes == row.bytes && r.threads == 1 && r.alignment == row.alignment &&
        r.in_place == row.in_place)
      list.push_back(&r);
  std::stable_sort(list.begin(), list.end(), [](const Result* a, const Result* b) { return a->mbps() > b->mbps(); });
  if (c.ours) list.insert(list.begin(), c.ours);
  return list;
}

std::string algorithms_section(const Report& report) {
  BarChart chart{"Speed of each algorithm compared with other libraries and published figures, one thread", "MB/s", {}};
  HtmlTable table("The same figures: one thread, 10^6 bytes a second; core clock cycles per byte",
                  {"algorithm", "who", "bytes", "MB/s", "cycles per byte", "Vershina is times as fast"}, {2, 3, 4, 5},
                  "algorithms");
  for (const AlgorithmSummary& s : summarize(report.results)) {
    const Work& work = (s.one.ours ? *s.one.ours : *s.one.peer).work;
    BarGroup group{work_name(work), {}};
    for (const Result* r : group_of(report, s.one)) {
      group.bars.push_back({name_of(*r), r->peer ? Bar::Kind::peer : Bar::Kind::own, r->mbps(),
                            r->peer ? "" : r->kernel + ", " + format_size(r->bytes)});
      table.add({work_name(work), r->peer ? r->kernel + " " + r->peer->version : "Vershina, kernel " + r->kernel,
                 format_size(r->bytes), short_number(r->mbps()), short_number(r->cpb()),
                 r->peer && s.one.ours ? short_number(r->cpb() / s.one.ours->cpb()) : ""});
    }
    std::vector<PublishedFigure> published = published_rates(work);
    if (published.size() > kMaxPublished) published.resize(kMaxPublished);
    for (const PublishedFigure& f : published)
      group.bars.push_back({shortened(f.platform, 38), Bar::Kind::published, f.mbps, shortened(f.technique, 40)});
    chart.groups.push_back(std::move(group));
  }
  if (chart.groups.empty()) return "";
  return "<h2>By algorithm</h2>\n" +
         figure(
             to_inline_svg(chart),
             "One thread, MB/s: longer is faster. The counter mode or the hash of each algorithm, at the size where it "
             "is "
             "fastest.<span class=\"key own\"></span>Vershina's own choice of kernel<span class=\"key "
             "peer\"></span>other "
             "libraries in the same run<span class=\"key published\"></span>published by others, on one core of their "
             "machines") +
         table.text();
}

std::string modes_section(const Report& report) {
  std::map<std::string, std::vector<Comparison>> by_algorithm;
  std::vector<std::string> order;
  for (const Comparison& c : compare(report.results)) {
    if (!c.ours) continue;
    auto& list = by_algorithm[c.ours->work.algorithm];
    if (list.empty()) order.push_back(c.ours->work.algorithm);
    auto same =
        std::find_if(list.begin(), list.end(), [&](const Comparison& o) { return o.ours->work == c.ours->work; });
    if (same == list.end()) list.push_back(c);
    else if (c.ours->mbps() > same->ours->mbps()) *same = c;
  }
  std::string text;
  for (const std::string& algorithm : order) {
    const auto& list = by_algorithm[algorithm];
    if (list.size() < 2) continue;
    BarChart chart{algorithm + ": speed of each mode compared with the best other library, one thread", "MB/s", {}};
    HtmlTable table(algorithm + ", one thread", {"work", "kernel", "bytes", "MB/s", "best other library", "MB/s"},
                    {2, 3, 5});
    for (const Comparison& c : list) {
      BarGroup group{work_name(c.ours->work), {{"Vershina", Bar::Kind::own, c.ours->mbps(), c.ours->kernel}}};
      if (c.peer)
        group.bars.push_back({c.peer->kernel, Bar::Kind::peer, c.peer->mbps(),
                              "Vershina is " + short_number(c.ratio()) + " times as fast"});
      table.add({work_name(c.ours->work), c.ours->kernel, format_size(c.ours->bytes), short_number(c.ours->mbps()),
                 c.peer ? c.peer->kernel : "", c.peer ? short_number(c.peer->mbps()) : ""});
      chart.groups.push_back(std::move(group));
    }
    text += details(
        algorithm + ": " + std::to_string(list.size()) + " modes and directions",
        figure(to_inline_svg(chart), "One thread, MB/s, at the size where the library is fastest.") + table.text());
  }
  return text.empty() ? "" : "<h2>By mode</h2>\n" + text;
}

// ---- By size --------------------------------------------------------------------------------------------------------

// A line for each row measured at two sizes or more, and the fastest published figure as a level.
Chart size_chart(const Report& report, const Work& work) {
  Chart chart{work_name(work) + ": speed against size of message", {}, "MB/s, one thread"};
  std::map<std::string, std::map<size_t, double>> lines;
  std::vector<std::string> order;
  for (const Comparison& c : compare(report.results)) {
    const Result& row = c.ours ? *c.ours : *c.peer;
    if (!(row.work == work)) continue;
    for (const Result* r : group_of(report, c)) {
      if (lines.find(name_of(*r)) == lines.end()) order.push_back(name_of(*r));
      double& rate = lines[name_of(*r)][r->bytes];
      rate = std::max(rate, r->mbps());
    }
  }
  size_t first = SIZE_MAX, last = 0;
  for (const std::string& name : order) {
    const auto& points = lines[name];
    if (points.size() < 2) continue;
    chart.series.push_back(
        {name, name == "Vershina" ? Series::Style::plain : Series::Style::dashed, {points.begin(), points.end()}});
    first = std::min(first, points.begin()->first), last = std::max(last, points.rbegin()->first);
  }
  const auto published = published_rates(work);
  if (!chart.series.empty() && !published.empty())
    chart.series.push_back({"published: " + shortened(published[0].platform, 20),
                            Series::Style::dotted,
                            {{first, published[0].mbps}, {last, published[0].mbps}}});
  return chart;
}

std::string sizes_section(const Report& report) {
  std::string text;
  for (const AlgorithmSummary& s : summarize(report.results)) {
    const Chart chart = size_chart(report, (s.one.ours ? *s.one.ours : *s.one.peer).work);
    if (chart.series.empty()) continue;
    std::map<size_t, std::vector<std::string>> rows;
    std::vector<std::string> head = {"bytes"};
    std::vector<size_t> numbers = {0};
    for (const Series& series : chart.series) {
      if (series.style == Series::Style::dotted) continue;
      numbers.push_back(head.size());
      head.push_back(series.name);
      for (const auto& [bytes, rate] : series.points) {
        rows[bytes].resize(head.size(), "-");
        rows[bytes].back() = short_number(rate);
      }
    }
    HtmlTable table(chart.title + ", MB/s", head, numbers);
    for (auto& [bytes, cells] : rows) {
      cells.resize(head.size(), "-");
      cells[0] = format_size(bytes);
      table.add(cells);
    }
    text += figure(to_inline_svg(chart), "Both axes are logarithmic: higher is faster.") +
            details("Table of " + chart.title, table.text());
  }
  return "<h2>By size</h2>\n" +
         (text.empty() ? "<p>Measured at one size only; <code>--sizes</code> names several.</p>\n" : text);
}

// ---- By threads -----------------------------------------------------------------------------------------------------

std::string threads_section(const Report& report) {
  BarChart chart{"Speed by number of threads", "MB/s", {}};
  HtmlTable table("The same figures; efficiency is the speed-up over one thread, divided by the number of threads",
                  {"work", "bytes", "threads", "kernel", "MB/s", "efficiency", "copy by memcpy, MB/s"}, {1, 2, 4, 5, 6},
                  "threads");
  for (const Result& many : report.results) {
    if (many.threads == 1 || many.peer || !many.efficiency || !many.chosen) continue;
    const std::string title = work_name(many.work) + ", " + format_size(many.bytes) +
                              (many.in_place ? ", in place" : "") +
                              (many.alignment ? format(", offset %zu", many.alignment) : "");
    const auto add = [&](const Result& r) {
      chart.groups.back().bars.push_back({format("%u thread%s", r.threads, r.threads == 1 ? "" : "s"), Bar::Kind::own,
                                          r.mbps(),
                                          r.efficiency ? format("%.0f %% efficiency", 100 * *r.efficiency) : ""});
      table.add({title, format_size(r.bytes), std::to_string(r.threads), r.kernel, short_number(r.mbps()),
                 r.efficiency ? format("%.2f", *r.efficiency) : "", r.copy_mbps ? short_number(*r.copy_mbps) : ""});
    };
    if (chart.groups.empty() || chart.groups.back().title != title) {
      chart.groups.push_back({title, {}});
      for (const Result& one : report.results)
        if (one.threads == 1 && !one.peer && one.chosen && same_but_threads(many, one)) {
          add(one);
          break;
        }
    }
    add(many);
  }
  return "<h2>By threads</h2>\n" +
         (chart.groups.empty()
              ? "<p>One thread only was measured.</p>\n"
              : figure(to_inline_svg(chart),
                       "Wall time; the library's choice of kernel. 100 % efficiency would be as many times "
                       "one thread as there are threads.") +
                    table.text());
}

// ---- Tables ---------------------------------------------------------------------------------------------------------

std::string published_table(const Report& report) {
  std::vector<std::string> names;
  HtmlTable table("By others, on their machines; not measured here",
                  {"algorithm", "blocks", "MB/s", "cycles per byte", "machine", "threads", "source"}, {2, 3},
                  "published");
  bool any = false;
  for (const Result& r : report.results) {
    const std::string name = r.work.algorithm.starts_with("streebog") ? "streebog" : r.work.algorithm;
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    for (const PublishedFigure& f : published_for(r.work.algorithm)) {
      any = true;
      table.add({name, f.mode, f.mbps > 0 ? short_number(f.mbps) : "", f.cpb > 0 ? short_number(f.cpb) : "",
                 published_name(f), f.threads, f.source});
    }
  }
  return any ? "<h2>Published figures</h2>\n" + details("All published figures", table.text()) : "";
}

std::string note_of(const Result& r) {
  std::string note;
  const auto add = [&](const std::string& item) { note += (note.empty() ? "" : ", ") + item; };
  if (r.chosen) add("chosen");
  if (!r.peer && !r.constant_time) add("not constant-time");
  if (!r.sbox.empty()) add("S-box " + r.sbox);
  if (r.in_place) add("in place");
  if (r.alignment) add(format("offset %zu", r.alignment));
  if (r.cost.rough) add("rough: the machine was busy");
  return note;
}

std::string rows_section(const Report& report) {
  HtmlTable table(
      "Medians; MB/s are 10^6 bytes a second of wall time, cycles those of the core's clock per byte and core",
      {"algorithm", "mode", "work", "bytes", "threads", "who", "MB/s", "c/B", "spread", "dropped", "note"},
      {3, 4, 6, 7, 8, 9}, "rows");
  for (const Result& r : report.results)
    table.add({r.work.algorithm, r.work.mode, r.work.operation, std::to_string(r.bytes), std::to_string(r.threads),
               r.peer ? r.peer->name + " " + r.peer->version : r.kernel, format("%.1f", r.mbps()),
               format("%.2f", r.cpb()), format("%.1f %%", 100 * r.cost.spread), std::to_string(r.cost.dropped),
               note_of(r)});
  std::string text = "<h2>Everything that was measured</h2>\n" +
                     details("All " + std::to_string(report.results.size()) + " rows", table.text());
  if (report.key_setups.empty()) return text;
  HtmlTable keys("A new key: creating and wiping a context; ECB of 4 KiB with a prepared key and with a new one",
                 {"algorithm", "kernel", "cycles", "c/B prepared", "c/B new key"}, {2, 3, 4}, "keys");
  for (const KeySetup& k : report.key_setups)
    keys.add({k.algorithm, k.kernel, format("%.0f", k.cycles), format("%.2f", k.cpb_prepared),
              format("%.2f", k.cpb_new_key)});
  return text + details("The cost of a new key", keys.text());
}

std::string verdict(const Report& report) {
  std::string text;
  for (const Wrong& w : report.wrong)
    text += "<p class=\"wrong\">" + escape(work_name(w.work) + " by " + w.who + ": wrong result, not timed") + "</p>\n";
  const Verdict v = judge(report.results);
  if (v.least <= 0) return text;
  text += format(
      "<p>Compared with the best other library, in %zu comparisons by one thread, Vershina is %s to %s times as fast",
      v.faster + v.slower, short_number(v.least).c_str(), short_number(v.most).c_str());
  if (v.slower > 0) text += format("; in %zu it is slower, most in %s", v.slower, escape(v.slowest).c_str());
  return text + ".</p>\n";
}

}  // namespace

std::string to_html(const Report& report) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
  text +=
      escape("Vershina: speed of " + report.machine.cpu) + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n";
  text += "<h1>Vershina: speed of this machine</h1>\n<p class=\"soft\">" +
          escape(report.machine.cpu + ", " + report.machine.date) + "</p>\n";
  text += verdict(report) + machine_list(report);
  text += algorithms_section(report) + modes_section(report) + sizes_section(report) + threads_section(report);
  text += published_table(report) + rows_section(report);
  return text + "<p class=\"soft\">How a figure comes about: docs/benchmark.md.</p>\n</body>\n</html>\n";
}

}  // namespace vsh::bench
