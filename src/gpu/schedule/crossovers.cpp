#include "gpu/schedule/crossovers.hpp"

#include <algorithm>
#include <tuple>

#include "core/decimal.hpp"

namespace vsh::gpu {
namespace {

constexpr std::string_view kNeverWord = "never";
constexpr std::string_view kWorkNames[RatedWork::kCount] = {
    "encrypt",           "decrypt",           "ctr",               "ctr-left",
    "ctr-right",         "cnt",               "cbc-decrypt",       "cfb-decrypt",
    "xts-encrypt",       "xts-decrypt",       "mgm-encrypt",       "mgm-decrypt",
    "mgm-authenticate",  "batch-ecb-encrypt", "batch-ecb-decrypt", "batch-cbc-encrypt",
    "batch-cbc-decrypt", "batch-cfb-encrypt", "batch-cfb-decrypt", "batch-ofb",
    "batch-ctr",         "batch-cnt",         "batch-mac",         "batch-imit",
    "batch-mgm",         "batch-hash"};
constexpr Algorithm kAlgorithms[] = {Algorithm::kuznyechik, Algorithm::magma, Algorithm::gost28147,
                                     Algorithm::streebog};

// What no two rows have in common, in the order in which they are kept.
auto key_of(const Rate& rate) {
  return std::tuple<const std::string&, const std::string&, Algorithm, RatedWork, uint64_t>(
      rate.id, rate.fingerprint, rate.algorithm, rate.work, rate.work.is_batch() ? rate.size : 0);
}

bool is_plain(std::string_view word, size_t max_len) {
  return !word.empty() && word.size() <= max_len && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ':' || c == '.';
  });
}

constexpr uint64_t kMaxLeast = 999'999'999'999'999'999;

std::optional<Rate> read_rate(tuner::Line line) {
  const std::string_view id = line.word(), fingerprint = line.word();
  const std::string_view algorithm = line.word(), work = line.word(), least = line.word();
  const std::optional<uint64_t> from = least == kNeverWord ? kNever : tuner::read_number(least, kMaxLeast);
  const std::optional<uint64_t> size = line.number(kMaxPiece);
  const auto a = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                              [&](Algorithm known) { return algorithm == algorithm_name(known); });
  const auto w = std::find(std::begin(kWorkNames), std::end(kWorkNames), work);
  if (!is_plain(id, 32) || !is_plain(fingerprint, 16) || !line.at_end()) return {};
  if (a == std::end(kAlgorithms) || w == std::end(kWorkNames) || !from || !size) return {};
  const RatedWork rated = RatedWork::numbered(static_cast<size_t>(w - std::begin(kWorkNames)));
  if ((*a == Algorithm::streebog) != (rated == RatedWork::batch_hash())) return {};
  if (*size < (rated.is_batch() ? 1 : kMinPiece) || *size > (rated.is_batch() ? kMaxLength : kMaxPiece)) return {};
  return Rate{std::string(id), std::string(fingerprint), *a, rated, *from, *size};
}

struct File {
  std::vector<Rate> rates;
  tuner::Source source;
};

const File& file() noexcept {
  static const File read = [] {
    File f;
    f.source = tuner::read_costs(tuner::kDevicesSuffix, kMaxRatesSize, [&](std::string_view text) {
      std::string problem;
      if (auto rates = parse_rates(text, problem)) f.rates = std::move(*rates);
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

std::string_view RatedWork::name() const noexcept { return kWorkNames[number_]; }

std::string format_rates(const std::vector<Rate>& rates) {
  std::string text = tuner::heading(tuner::identity_here());
  for (const Rate& rate : rates) {
    text += rate.id + " " + rate.fingerprint + " " + algorithm_name(rate.algorithm) + " ";
    text += rate.work.name();
    text += " " + (rate.least == kNever ? std::string(kNeverWord) : decimal(rate.least)) + " " + decimal(rate.size);
    text += "\n";
  }
  return text;
}

std::optional<std::vector<Rate>> parse_rates(std::string_view text, std::string& problem) {
  std::vector<Rate> rates;
  problem = tuner::parse(text, tuner::identity_here(), [&](tuner::Line line) {
    const std::optional<Rate> rate = read_rate(line);
    if (rate) rates.push_back(*rate);
    return rate.has_value();
  });
  if (!problem.empty()) return {};
  std::sort(rates.begin(), rates.end(), [](const Rate& a, const Rate& b) { return key_of(a) < key_of(b); });
  const auto same = [](const Rate& a, const Rate& b) { return key_of(a) == key_of(b); };
  if (std::adjacent_find(rates.begin(), rates.end(), same) != rates.end()) {
    problem = "it has two lines for the same";
    return {};
  }
  return rates;
}

const std::vector<Rate>& measured_rates() noexcept { return file().rates; }

std::span<const Rate> rates_of(const DeviceInfo& info, Algorithm algorithm, RatedWork work) noexcept {
  try {
    const std::string here = fingerprint(info);
    const auto place = [](const Rate& rate) {
      return std::tuple<const std::string&, const std::string&, Algorithm, RatedWork>(rate.id, rate.fingerprint,
                                                                                      rate.algorithm, rate.work);
    };
    const std::vector<Rate>& all = file().rates;
    const auto wanted = std::tie(info.id, here, algorithm, work);
    const auto first = std::partition_point(all.begin(), all.end(), [&](const Rate& r) { return place(r) < wanted; });
    const auto last = std::partition_point(first, all.end(), [&](const Rate& r) { return place(r) == wanted; });
    return {first, last};
  } catch (...) {  // no memory: nothing is known
    return {};
  }
}

bool pays(std::span<const Rate> of_lengths, uint64_t num_messages, uint64_t num_bytes) noexcept {
  if (num_messages == 0) return false;
  const uint64_t length = num_bytes / num_messages;
  const auto longer =
      std::find_if(of_lengths.begin(), of_lengths.end(), [&](const Rate& rate) { return rate.size > length; });
  return longer != of_lengths.begin() && num_messages >= (longer - 1)->least;
}

const tuner::Source& rates_source() noexcept { return file().source; }

}  // namespace vsh::gpu
