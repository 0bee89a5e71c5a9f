#include "programs/bench/device/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <sstream>

#include "gpu/devices.hpp"
#include "measure/machine.hpp"
#include "programs/bench/device/measure.hpp"
#include "programs/bench/report/format.hpp"
#include "programs/bench/report/json.hpp"
#include "programs/bench/report/summary.hpp"
#include "programs/bench/rows/vershina_adapter.hpp"
#include "programs/bench/setup/environment.hpp"
#include "programs/common/text/columns.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {
namespace {

using cli::Json;

std::vector<std::string> ids_of(const Options& options) {
  std::vector<std::string> ids;
  for (const std::string& word : options.devices) {
    if (word != "all") {
      ids.push_back(word);
      continue;
    }
    for (const gpu::DeviceInfo& info : gpu::list_devices().devices) ids.push_back(info.id);
  }
  return ids;
}

DeviceRun make_run(gpu::Device& device, const Stopwatch& stopwatch, const Options& options, unsigned threads) {
  const bool small = device.info().is_processor;
  const size_t resident = small ? 4 : 256, host = small ? 16 : 1024;  // MiB
  DeviceRun run{device, stopwatch, options, threads, resident << 20, host << 20, {}};
  if (options.quick) run.resident /= 4, run.host /= 8;
  if (!options.sizes.empty()) run.resident = run.host = *std::max_element(options.sizes.begin(), options.sizes.end());
  run.resident = run.resident / 16 * 16, run.host = run.host / 16 * 16;
  if (small) run.messages = {1024, 16384};
  else run.messages = {16384, size_t{1} << 18, size_t{1} << 20};
  if (options.quick) run.messages.resize(1);
  return run;
}

DeviceReport measure_device(const std::string& id, const Options& options, unsigned threads) {
  try {
    gpu::Device& device = gpu::open_device(id);
    const Stopwatch stopwatch(options.seconds > 0 ? options.seconds : options.quick ? 0.05 : 0.3, device.info().bus);
    const DeviceRun run = make_run(device, stopwatch, options, threads);
    DeviceReport report{device.info(), measure_copies(run), {}, {}};
    measure_resident(run, report);
    measure_streams(run, report);
    measure_host(run, report);
    measure_files(run, report);
    return report;
  } catch (const gpu::Error& error) {
    const std::string whose = error.kind() == gpu::Error::Kind::none_found ? "" : id + ": ";  // that names it
    throw cli::Failure(cli::ExitCode::device, whose + error.what(),
                       cli::tr("`vershina devices` lists the devices here"));
  }
}

Object to_json(const DeviceReport& report) {
  const auto or_null = [](double x) { return x > 0 ? Json(x) : Json(); };
  List rows;
  for (const DeviceRow& r : report.rows)
    rows.add(Object{
        {"place", place_name(r.place)},
        {"algorithm", r.work.algorithm},
        {"mode", r.work.mode},
        {"operation", r.work.operation},
        {"bytes", r.bytes},
        {"messages", r.messages},
        {"gbps", r.rate() / 1e9},
        {"spread", r.timing.spread},
        {"samples", r.timing.samples},
        {"processor_gbps", or_null(r.processor / 1e9)},
        {"share_of_copies", r.copies > 0 ? Json(r.rate() / r.copies) : Json()},
        {"joules_per_gb", r.timing.joules ? Json(*r.timing.joules * 1e9 / static_cast<double>(r.bytes)) : Json()}});
  const gpu::DeviceInfo& d = report.device;
  return {{"id", d.id},
          {"name", d.name},
          {"driver", d.driver},
          {"architecture", d.architecture},
          {"units", d.units},
          {"memory", d.memory},
          {"is_processor", d.is_processor},
          {"copies", Object{{"piece", report.copies.piece},
                            {"queues", report.copies.slots},
                            {"in_gbps", report.copies.in / 1e9},
                            {"out_gbps", report.copies.out / 1e9},
                            {"both_gbps", report.copies.both / 1e9}}},
          {"rows", rows},
          {"not_measured", List(report.skipped)}};
}

std::string line(const DeviceRow& r) {
  char text[200], energy[24] = "-", copies[24] = "-";
  if (r.timing.joules)
    std::snprintf(energy, sizeof energy, "%.2f", *r.timing.joules * 1e9 / static_cast<double>(r.bytes));
  if (r.copies > 0) std::snprintf(copies, sizeof copies, "%.0f %%", 100 * r.rate() / r.copies);
  std::snprintf(text, sizeof text, "  %-9s %-11s %-4s %-8s %9zu %9s %9.3f %5.1f%% %9.3f %9s %8s\n", place_name(r.place),
                r.work.algorithm.c_str(), r.work.mode.c_str(), r.work.operation.c_str(), r.messages,
                format_size(r.bytes).c_str(), r.rate() / 1e9, 100 * r.timing.spread, r.processor / 1e9, copies, energy);
  return text;
}

void print_report(std::ostream& out, const DeviceReport& report) {
  const gpu::DeviceInfo& d = report.device;
  char text[200];
  std::snprintf(text, sizeof text,
                "  bus: %.2f GB/s in, %.2f out, both at once %.2f each way; pieces of %s, %zu queues\n",
                report.copies.in / 1e9, report.copies.out / 1e9, report.copies.both / 1e9,
                format_size(report.copies.piece).c_str(), report.copies.slots);
  out << "\n"
      << d.id << "  " << d.name << ", " << d.driver << ", " << d.architecture << ", " << d.units << " units"
      << (d.is_processor ? "; a processor, no GPU" : "") << "\n"
      << text
      << "  where     algorithm   mode work      messages     bytes      GB/s spread processor of copies     J/GB\n";
  for (const DeviceRow& r : report.rows) out << line(r);
  for (const std::string& what : report.skipped) out << "  not measured: " << what << "\n";
}

// A line for each device, then its best rates of each algorithm by place, in GB/s.
std::string summary_of(const DeviceReport& report) {
  using enum DeviceRow::Place;
  const gpu::DeviceInfo& d = report.device;
  std::vector<std::vector<std::string>> lines = {
      {"  GB/S", "IN ITS MEMORY", "FROM THE HOST", "WITH THE PROCESSOR", "PROCESSOR"}};
  std::vector<std::string> algorithms;
  for (const DeviceRow& r : report.rows)
    if (std::find(algorithms.begin(), algorithms.end(), r.work.algorithm) == algorithms.end())
      algorithms.push_back(r.work.algorithm);
  for (const std::string& algorithm : algorithms) {
    double best[4] = {};
    for (const DeviceRow& r : report.rows) {
      if (r.work.algorithm != algorithm || r.place == file) continue;
      double& rate = best[r.place == together ? 2 : r.place == host || r.place == pageable ? 1 : 0];
      rate = std::max(rate, r.rate()), best[3] = std::max(best[3], r.processor);
    }
    lines.push_back({"  " + algorithm});
    for (const double rate : best) lines.back().push_back(rate > 0 ? short_number(rate / 1e9) : "-");
  }
  std::string text = d.id + "  " + d.name + ", " + std::to_string(d.units) + " units" +
                     (d.is_processor ? "; a processor, no GPU" : "") + "\n" + cli::align_columns(lines, {1, 2, 3, 4});
  return report.skipped.empty() ? text : text + "  not measured: " + std::to_string(report.skipped.size()) + "\n";
}

void print_published(std::ostream& out) {
  out << "\npublished for GPUs (by others, on their machines; not measured here)\n";
  for (const PublishedFigure& f : published_for("gost28147"))
    if (f.is_device)
      out << "  " << short_number(f.mbps / 1e3) << " GB/s  " << f.platform << ": " << f.technique << " ["
          << f.source.substr(0, f.source.find(';')) << "]\n";
}

}  // namespace

const char* place_name(DeviceRow::Place place) noexcept {
  using enum DeviceRow::Place;
  switch (place) {
    case device: return "device";
    case streams: return "streams";
    case host: return "host";
    case pageable: return "pageable";
    case together: return "together";
    case file: return "file";
  }
  return "";
}

bool DeviceRun::wants(const Work& work) const {
  const auto in = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  return in(options.algorithms, work.algorithm) && in(options.modes, work.mode);
}

double processor_rate(const DeviceRun& run, const Work& work, const uint8_t* in, uint8_t* out, size_t bytes) {
  const auto task = own_task(work, "", VSH_SBOX_DEFAULT, run.threads);
  const Timing timing = Stopwatch(0.1, {}).measure([&] { task->run(out, in, bytes); });
  return static_cast<double>(bytes) / timing.seconds;
}

void require_same(const Work& work, const char* where, const uint8_t* got, const uint8_t* expected, size_t bytes) {
  if (std::memcmp(got, expected, bytes) != 0)
    throw cli::Failure(cli::ExitCode::data,
                       cli::tr("{1}: wrong result", work.algorithm + "-" + work.mode + ", " + where));
}

void measure_devices(const Options& options) {
  Place place(options);
  ResultFile json(options.json);
  const std::vector<std::string> ids = ids_of(options);
  std::ostream& out = table_stream(options);
  const measure::Machine machine = machine_of_run(place.count, -1);
  const std::string head = summary_head(machine, {}) + "\n";
  print(out, [&] { out << head; });
  List reports;
  std::string summary;
  std::ostringstream tables;
  for (const std::string& id : ids) {
    const DeviceReport report = measure_device(id, options, place.count);
    summary += summary_of(report);
    print_report(tables, report);
    reports.add(to_json(report));
  }
  if (ids.empty()) summary += "no devices: `vershina devices` says why\n";
  print_published(tables);
  tables << "\nGB/s: 10^9 bytes a second of wall time. processor: its best kernel on " << place.count
         << " threads, the same work. of copies: of what the bus carries both ways at once.\n";
  print(out, [&] {
    const size_t above = static_cast<size_t>(std::count(head.begin(), head.end(), '\n'));
    out << at_most(summary, kSummaryLines - above - 1);
    if (options.all) out << "\n" << measure::to_text(machine) << tables.str();
    else out << "--all prints all rows, and published figures\n";
  });
  const Object root = {
      {"machine", machine_json(machine, {})}, {"devices", reports}, {"published", published_json({"gost28147"})}};
  json.write(root.text() + "\n");
}

}  // namespace vsh::bench
