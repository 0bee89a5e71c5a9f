#include "programs/bench/tune/devices.hpp"

#include <algorithm>
#include <map>

#include "gpu/schedule/make_accelerator.hpp"
#include "programs/bench/tune/device_benchmark.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/text/columns.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {

using cli::ExitCode;
using cli::Failure;

namespace {

constexpr size_t kMaxLines = 17;  // of the summary, which has three more

}  // namespace

std::vector<gpu::Crossover> measure_crossovers(const std::string& wanted, std::optional<Algorithm> only,
                                               const std::function<void(const std::string&)>& show) {
  std::vector<gpu::Crossover> rows;
  try {
    const std::optional<gpu::DeviceChoice> choice = gpu::parse_device(wanted);
    if (!choice || (!choice->is_named() && choice->kind != gpu::DeviceChoice::Kind::all))
      throw Failure(ExitCode::usage,
                    cli::tr("{1}: {2} is not a device to measure", "--device", cli::quote_name(wanted)),
                    cli::tr("give all, cuda:N or opencl:P.D; `vershina devices` lists those here"));
    std::vector<gpu::Device*> devices;
    gpu::for_chosen_devices(*choice, {}, [&](gpu::Device& device) { devices.push_back(&device); });
    if (devices.empty())
      throw Failure(ExitCode::device, cli::tr("there is no GPU"), cli::tr("`vershina devices` lists the devices here"));
    for (const gpu::Crossover& row : gpu::measured_crossovers()) {
      const auto replaces = [&](const gpu::Device* device) {
        if (device->info().id != row.id) return false;
        return !only || *only == row.algorithm || row.fingerprint != gpu::fingerprint(device->info());
      };
      if (std::none_of(devices.begin(), devices.end(), replaces)) rows.push_back(row);
    }
    tuning::BenchmarkMemory memory;
    for (const gpu::Device* const device : devices) {
      const tuning::DeviceBenchmark benchmark{only, device->info(), memory, show, rows};
      tuning::benchmark_requests(benchmark);
      tuning::benchmark_batches(benchmark);
    }
  } catch (const tuning::DeviceFailure& failure) {
    throw Failure(ExitCode::device, failure.what());
  } catch (const gpu::Error& error) {
    throw Failure(ExitCode::device, "--device " + cli::device_problem(wanted, error.what()));
  }
  return rows;
}

std::string crossovers_summary(const std::vector<gpu::Crossover>& rows) {
  struct Count {
    size_t faster = 0, all = 0;
    uint64_t least = gpu::kNever;
    void add(uint64_t from) {
      ++all;
      if (from == gpu::kNever) return;
      ++faster;
      least = std::min(least, from);
    }
    std::string text(const char* what) const {
      if (all == 0) return "-";
      const std::string of = std::to_string(faster) + " of " + std::to_string(all);
      return faster == 0 ? "never (" + of + ")" : "from " + std::to_string(least) + " " + what + " (" + of + ")";
    }
  };
  std::vector<std::vector<std::string>> lines = {{"FASTER THAN THE PROCESSOR", "", "REQUESTS", "BATCHES"}};
  std::map<std::pair<std::string, std::string>, std::pair<Count, Count>> counts;
  for (const gpu::Crossover& c : rows) {
    auto& [requests, batches] = counts[{c.id, algorithm_name(c.algorithm)}];
    (c.subject.is_batch ? batches : requests).add(c.least);
  }
  for (const auto& [key, count] : counts)
    lines.push_back({key.first, key.second, count.first.text("bytes"), count.second.text("messages")});
  const size_t left_out = lines.size() > kMaxLines ? lines.size() - kMaxLines : 0;
  lines.resize(lines.size() - left_out);
  return cli::align_columns(lines, {}) + (left_out > 0 ? "and " + std::to_string(left_out) + " more: --all\n" : "");
}

std::string crossovers_table(const std::vector<gpu::Crossover>& rows) {
  std::vector<std::vector<std::string>> requests = {{"device", "algorithm", "work", "from bytes", "in pieces of"}};
  std::vector<std::vector<std::string>> batches = {{"device", "algorithm", "work"}};
  std::map<uint64_t, size_t> columns;  // of batches, by the length of their messages
  for (const gpu::Crossover& c : rows)
    if (c.subject.is_batch) columns[c.size] = 0;
  for (auto& [length, column] : columns) {
    column = batches[0].size();
    batches[0].push_back("messages of " + std::to_string(length));
  }
  for (const gpu::Crossover& c : rows) {
    std::vector<std::string> row = {c.id, algorithm_name(c.algorithm), c.subject.name()};
    const std::string least = c.least == gpu::kNever ? "never" : std::to_string(c.least);
    if (!c.subject.is_batch) {
      row.insert(row.end(), {least, std::to_string(c.size)});
      requests.push_back(row);
      continue;
    }
    if (!std::equal(row.begin(), row.end(), batches.back().begin())) {
      row.resize(batches[0].size(), "-");
      batches.push_back(row);
    }
    batches.back()[columns[c.size]] = least;
  }
  std::string text;
  for (const auto* const table : {&requests, &batches})
    if (table->size() > 1) text += (text.empty() ? "" : "\n") + cli::align_columns(*table, {3, 4, 5});
  return text;
}

}  // namespace vsh::bench
