#include "gpu/schedule/crossovers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "core/decimal.hpp"
#include "core/cost_file.hpp"

namespace vsh::gpu {
namespace {

constexpr std::string_view kMagic = "vershina-devices ", kVersion = "2";
constexpr std::string_view kNeverWord = "never";
constexpr std::string_view kMalformed = "it is no list of rates as `vershina tune --device` writes it";
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

std::string_view take(std::string_view& text, char end) {
  const size_t len = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, len);
  text.remove_prefix(std::min(len + 1, text.size()));
  return taken;
}

// Without sign and leading zeros.
std::optional<uint64_t> read_number(std::string_view word) {
  if (word.empty() || word.size() > 18 || (word[0] == '0' && word.size() > 1)) return {};
  uint64_t number = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return {};
    number = 10 * number + static_cast<uint64_t>(c - '0');
  }
  return number;
}

bool is_plain(std::string_view word, size_t max_len) {
  return !word.empty() && word.size() <= max_len && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ':' || c == '.';
  });
}

std::optional<Rate> read_rate(std::string_view line) {
  if (line.empty() || line.back() == ' ') return {};
  const std::string_view id = take(line, ' '), fingerprint = take(line, ' ');
  const std::string_view algorithm = take(line, ' '), work = take(line, ' '), least = take(line, ' ');
  const std::optional<uint64_t> from = least == kNeverWord ? kNever : read_number(least);
  const std::optional<uint64_t> size = read_number(take(line, ' '));
  const auto a = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                              [&](Algorithm known) { return algorithm == algorithm_name(known); });
  const auto w = std::find(std::begin(kWorkNames), std::end(kWorkNames), work);
  if (!is_plain(id, 32) || !is_plain(fingerprint, 16) || !line.empty()) return {};
  if (a == std::end(kAlgorithms) || w == std::end(kWorkNames) || !from || !size) return {};
  const RatedWork rated = RatedWork::numbered(static_cast<size_t>(w - std::begin(kWorkNames)));
  if ((*a == Algorithm::streebog) != (rated == RatedWork::batch_hash())) return {};
  if (*size < (rated.is_batch() ? 1 : kMinPiece) || *size > (rated.is_batch() ? kMaxLength : kMaxPiece)) return {};
  return Rate{std::string(id), std::string(fingerprint), *a, rated, *from, *size};
}

struct File {
  std::string path, problem = "out of memory";
  bool missing = false;
  std::vector<Rate> rates;
};

File read_file() noexcept {
  File file;
  try {
    file.path = rates_path();
    std::string text;
    if (file.path.empty()) {
      file.problem = tuner::why_no_path();
    } else if (const int error = tuner::read_file(file.path, text, kMaxRatesSize)) {
      file.missing = error == ENOENT;
      file.problem = tuner::read_problem(error);
    } else if (auto rates = parse_rates(text, file.problem)) {
      file.rates = std::move(*rates);
      file.problem.clear();
    }
  } catch (...) {  // no memory: as if there were no file
  }
  return file;
}

const File& file() noexcept {
  static const File read = read_file();
  return read;
}

}  // namespace

std::string fingerprint(const DeviceInfo& info) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, 64 bits: keeps nobody out
  const std::string units = decimal(info.units);
  for (const std::string* text : {&info.name, &info.driver, &info.architecture, &units}) {
    for (const char c : *text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
    hash = (hash ^ 0xff) * 0x100000001b3u;
  }
  std::string hex;
  for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789abcdef"[hash >> shift & 15];
  return hex;
}

std::string_view RatedWork::name() const noexcept { return kWorkNames[number_]; }

std::string format_rates(const std::vector<Rate>& rates) {
  const tuner::Identity here = tuner::identity_here();
  std::string text(kMagic);
  text += kVersion;
  text += "\ncpu " + here.cpu + "\nbuild " + here.build + "\n";
  for (const Rate& rate : rates) {
    text += rate.id + " " + rate.fingerprint + " " + algorithm_name(rate.algorithm) + " ";
    text += rate.work.name();
    text += " " + (rate.least == kNever ? std::string(kNeverWord) : decimal(rate.least)) + " " + decimal(rate.size);
    text += "\n";
  }
  return text;
}

std::optional<std::vector<Rate>> parse_rates(std::string_view text, std::string& problem) {
  problem = kMalformed;
  if (text.size() > kMaxRatesSize || !text.ends_with('\n')) return {};
  const std::string_view first = take(text, '\n');
  if (!first.starts_with(kMagic)) return {};
  const tuner::Identity here = tuner::identity_here();
  constexpr std::string_view kOtherBuild = "it was measured with another build of Vershina";
  if (first.substr(kMagic.size()) != kVersion) {
    problem = kOtherBuild;
    return {};
  }
  for (const auto& [key, value, difference] :
       {std::array<std::string_view, 3>{"cpu ", here.cpu, "it was measured on another CPU model"},
        {"build ", here.build, kOtherBuild}}) {
    const std::string_view line = take(text, '\n');
    if (!line.starts_with(key)) return {};
    if (line.substr(key.size()) == value) continue;
    problem = difference;
    return {};
  }
  std::vector<Rate> rates;
  while (!text.empty()) {
    const std::optional<Rate> rate = read_rate(take(text, '\n'));
    if (!rate) return {};
    rates.push_back(*rate);
  }
  std::sort(rates.begin(), rates.end(), [](const Rate& a, const Rate& b) { return key_of(a) < key_of(b); });
  const auto same = [](const Rate& a, const Rate& b) { return key_of(a) == key_of(b); };
  if (std::adjacent_find(rates.begin(), rates.end(), same) != rates.end()) return {};
  problem.clear();
  return rates;
}

std::string rates_path() {
  const std::string beside = tuner::cache_path();
  return beside.empty() ? "" : beside + ".devices";
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

std::string describe_rates(std::string (*quote)(std::string_view)) {
  const File& f = file();
  if (f.problem.empty()) return "measured: " + quote(f.path);
  const std::string how = "; `vershina tune --device all` measures";
  if (f.missing) return "not measured: there is no " + quote(f.path) + how;
  return "not measured: " + (f.path.empty() ? "" : quote(f.path) + ": ") + f.problem + how;
}

}  // namespace vsh::gpu
