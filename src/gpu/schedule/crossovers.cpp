#include "gpu/schedule/crossovers.hpp"

#include <algorithm>
#include <tuple>

#include "core/decimal.hpp"
#include "core/row_costs.hpp"

namespace vsh::gpu {
namespace {

constexpr std::string_view kNeverWord = "never";

// The key of a row, unique in the table and its order.
auto key_of(const Crossover& row) {
  return std::tuple<const std::string&, const std::string&, Algorithm, CrossoverSubject, uint64_t>(
      row.id, row.fingerprint, row.algorithm, row.subject, row.subject.is_batch ? row.size : 0);
}

bool is_plain(std::string_view word, size_t max_len) {
  return !word.empty() && word.size() <= max_len && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ':' || c == '.';
  });
}

constexpr uint64_t kMaxLeast = 999'999'999'999'999'999;

std::optional<CrossoverSubject> find_subject(std::string_view name) {
  for (size_t i = 0; i < kNumOperations; ++i)
    for (const CrossoverSubject subject : {CrossoverSubject(Operation(i)), batch_of(Operation(i))})
      if (subject.exists() && subject.name() == name) return subject;
  return {};
}

std::optional<Crossover> read_crossover(tuner::Line line) {
  const std::string_view id = line.word(), fingerprint = line.word();
  const std::string_view algorithm = line.word(), name = line.word(), least = line.word();
  const std::optional<uint64_t> from = least == kNeverWord ? kNever : tuner::read_number(least, kMaxLeast);
  const std::optional<uint64_t> size = line.number(kMaxPiece);
  const AlgorithmInfo* const a = info_by_name(algorithm);
  const std::optional<CrossoverSubject> subject = find_subject(name);
  if (!is_plain(id, 32) || !is_plain(fingerprint, 16) || !line.at_end()) return {};
  if (!a || a->algorithm == Algorithm::gf2n || !subject || !from || !size) return {};
  if ((a->algorithm == Algorithm::streebog) != (subject->operation == Operation::hash)) return {};
  const bool is_batch = subject->is_batch;
  if (*size < (is_batch ? 1 : kMinPiece) || *size > (is_batch ? kMaxLength : kMaxPiece)) return {};
  return Crossover{std::string(id), std::string(fingerprint), a->algorithm, *subject, *from, *size};
}

struct File {
  std::vector<Crossover> rows;
  tuner::Source source;
};

const File& file() noexcept {
  static const File read = [] {
    File f;
    f.source = tuner::read_costs(tuner::kDevicesSuffix, kMaxCrossoversSize, [&](std::string_view text) {
      std::string problem;
      if (auto rows = parse_crossovers(text, problem)) f.rows = std::move(*rows);
      return problem;
    });
    return f;
  }();
  return read;
}

}  // namespace

std::string fingerprint(const DeviceInfo& info) {
  tuner::Fingerprint device;
  for (const std::string& text : {info.name, info.driver, info.architecture, decimal(info.units)}) device.add(text);
  return device.hex();
}

bool CrossoverSubject::exists() const noexcept {
  return row_of(operation).use & (is_batch ? OperationRow::batch : OperationRow::request);
}

std::string CrossoverSubject::name() const {
  std::string text(operation_name(operation));
  std::replace(text.begin(), text.end(), '_', '-');
  if (is_batch) return "batch-" + text;
  return text.starts_with("ecb-") ? text.substr(4) : text;  // the file says "encrypt" and "decrypt" of requests
}

std::string format_crossovers(const std::vector<Crossover>& rows) {
  std::string text = tuner::heading(tuner::identity_here());
  for (const Crossover& row : rows) {
    text += row.id + " " + row.fingerprint + " " + algorithm_name(row.algorithm) + " " + row.subject.name();
    text += " " + (row.least == kNever ? std::string(kNeverWord) : decimal(row.least)) + " " + decimal(row.size);
    text += "\n";
  }
  return text;
}

std::optional<std::vector<Crossover>> parse_crossovers(std::string_view text, std::string& problem) {
  std::vector<Crossover> rows;
  problem = tuner::parse(text, tuner::identity_here(), [&](tuner::Line line) {
    const std::optional<Crossover> row = read_crossover(line);
    if (row) rows.push_back(*row);
    return row.has_value();
  });
  if (!problem.empty()) return {};
  std::sort(rows.begin(), rows.end(), [](const Crossover& a, const Crossover& b) { return key_of(a) < key_of(b); });
  const auto same = [](const Crossover& a, const Crossover& b) { return key_of(a) == key_of(b); };
  if (std::adjacent_find(rows.begin(), rows.end(), same) != rows.end()) {
    problem = "it has two lines for the same";
    return {};
  }
  return rows;
}

const std::vector<Crossover>& measured_crossovers() noexcept { return file().rows; }

std::span<const Crossover> crossovers_of(const DeviceInfo& info, Algorithm algorithm,
                                         CrossoverSubject subject) noexcept {
  try {
    const std::string here = fingerprint(info);
    const auto place = [](const Crossover& row) {
      return std::tuple<const std::string&, const std::string&, Algorithm, CrossoverSubject>(
          row.id, row.fingerprint, row.algorithm, row.subject);
    };
    const auto& all = file().rows;
    const auto wanted = std::tie(info.id, here, algorithm, subject);
    const auto first = std::partition_point(all.begin(), all.end(), [&](const auto& r) { return place(r) < wanted; });
    const auto last = std::partition_point(first, all.end(), [&](const auto& r) { return place(r) == wanted; });
    return {first, last};
  } catch (...) {  // no memory: nothing is known
    return {};
  }
}

bool worth_a_device(std::span<const Crossover> of_lengths, uint64_t num_messages, uint64_t num_bytes) noexcept {
  if (num_messages == 0) return false;
  const uint64_t length = num_bytes / num_messages;
  const auto longer =
      std::find_if(of_lengths.begin(), of_lengths.end(), [&](const Crossover& row) { return row.size > length; });
  return longer != of_lengths.begin() && num_messages >= (longer - 1)->least;
}

const tuner::Source& crossovers_source() noexcept { return file().source; }

}  // namespace vsh::gpu
