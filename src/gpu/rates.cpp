#include "gpu/rates.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/decimal.hpp"
#include "core/tuner.hpp"

namespace vsh::gpu {
namespace {

constexpr std::string_view kMagic = "vershina-devices 1";
constexpr std::string_view kNever = "never";
constexpr std::string_view kMalformed = "it is no list of rates as `vershina tune --device` writes it";
constexpr std::string_view kWorkNames[Accelerator::kNumWorks] = {
    "encrypt",     "decrypt",     "ctr",         "ctr-left",    "ctr-right",   "cnt",             "cbc-decrypt",
    "cfb-decrypt", "xts-encrypt", "xts-decrypt", "mgm-encrypt", "mgm-decrypt", "mgm-authenticate"};
constexpr Algorithm kCiphers[] = {Algorithm::kuznyechik, Algorithm::magma, Algorithm::gost28147};

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
  Rate rate{};
  rate.id = take(line, ' ');
  rate.fingerprint = take(line, ' ');
  const std::string_view algorithm = take(line, ' '), work = take(line, ' ');
  const std::string_view least = take(line, ' ');
  const std::optional<uint64_t> piece = read_number(take(line, ' '));
  const auto a = std::find_if(std::begin(kCiphers), std::end(kCiphers),
                              [&](Algorithm known) { return algorithm == algorithm_name(known); });
  const auto w = std::find(std::begin(kWorkNames), std::end(kWorkNames), work);
  const std::optional<uint64_t> bytes = least == kNever ? UINT64_MAX : read_number(least);
  if (!is_plain(rate.id, 32) || !is_plain(rate.fingerprint, 16) || !line.empty()) return {};
  if (a == std::end(kCiphers) || w == std::end(kWorkNames) || !bytes || !piece) return {};
  if (*piece < kMinPiece || *piece > kMaxPiece) return {};
  rate.algorithm = *a;
  rate.work = static_cast<Accelerator::Work>(w - std::begin(kWorkNames));
  rate.least = *bytes, rate.piece = *piece;
  return rate;
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
      file.problem = "no directory for caches is known";
    } else if (const int error = tuner::read_file(file.path, text)) {
      file.missing = error == ENOENT;
      file.problem = std::strerror(error);
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

std::string_view work_name(Accelerator::Work work) noexcept { return kWorkNames[static_cast<size_t>(work)]; }

std::string format_rates(const std::vector<Rate>& rates) {
  const tuner::Identity here = tuner::identity_here();
  std::string text(kMagic);
  text += "\ncpu " + here.cpu + "\nbuild " + here.build + "\n";
  for (const Rate& rate : rates) {
    text += rate.id + " " + rate.fingerprint + " " + algorithm_name(rate.algorithm) + " ";
    text += work_name(rate.work);
    text += " " + (rate.least == UINT64_MAX ? std::string(kNever) : decimal(rate.least)) + " " + decimal(rate.piece);
    text += "\n";
  }
  return text;
}

std::optional<std::vector<Rate>> parse_rates(std::string_view text, std::string& problem) {
  problem = kMalformed;
  if (text.size() > tuner::kMaxCacheSize || !text.ends_with('\n')) return {};
  if (take(text, '\n') != kMagic) return {};
  const tuner::Identity here = tuner::identity_here();
  for (const auto& [key, value, difference] :
       {std::array<std::string_view, 3>{"cpu ", here.cpu, "it was measured on another CPU model"},
        {"build ", here.build, "it was measured with another build of Vershina"}}) {
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
  problem.clear();
  return rates;
}

std::string rates_path() {
  const std::string beside = tuner::cache_path();
  return beside.empty() ? "" : beside + ".devices";
}

const std::vector<Rate>& measured_rates() noexcept { return file().rates; }

const Rate* measured_rate(const DeviceInfo& info, Algorithm algorithm, Accelerator::Work work) noexcept {
  try {
    const std::string here = fingerprint(info);
    for (const Rate& rate : file().rates)
      if (rate.id == info.id && rate.fingerprint == here && rate.algorithm == algorithm && rate.work == work)
        return &rate;
  } catch (...) {  // no memory: nothing is known
  }
  return nullptr;
}

std::string describe_rates(std::string (*quote)(std::string_view)) {
  const File& f = file();
  if (f.problem.empty()) return "measured: " + quote(f.path);
  const std::string how = "; `vershina tune --device all` measures";
  if (f.missing) return "not measured: there is no " + quote(f.path) + how;
  return "not measured: " + (f.path.empty() ? "" : quote(f.path) + ": ") + f.problem + how;
}

}  // namespace vsh::gpu
