#include "core/cost_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/decimal.hpp"
#include "core/own_file.hpp"
#include "core/user_cache.hpp"
#include "vershina/vershina.h"

namespace vsh::tuner {
namespace {

constexpr std::string_view kProject = "vershina-", kMagic = "vershina-tune 3", kOlder = "vershina-tune 2";
constexpr int kOthersMayWrite = -1;

// New pass costs mean that a kernel was rewritten.
std::string build_id(std::span<const KernelInfo* const> rows) {
  Fingerprint build;
  for (const uint32_t number : {VSH_VERSION_MAJOR, VSH_VERSION_MINOR, VSH_VERSION_PATCH}) build.add(decimal(number));
  build.add(__VERSION__);
  for (const KernelInfo* row : rows) {
    build.add(row->family);
    build.add(row->variant);
    build.add(cpu::isa_name(row->isa));
    for (const uint32_t number : {row->lanes, row->pass_cost, row->pass_cost_custom}) build.add(decimal(number));
  }
  return build.hex();
}

// "AMD EPYC-Milan Processor" to "amd-epyc-milan-processor".
std::string file_name_of(std::string_view cpu) {
  std::string name;
  for (const char c : cpu) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!name.empty() && name.back() != '-') name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return "tune-" + name + ".txt";
}

std::string_view take(std::string_view& text, char end) {
  const size_t len = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, len);
  text.remove_prefix(std::min(len + 1, text.size()));
  return taken;
}

// Returns 0, errno, or kOthersMayWrite. Reads at most max_size + 1 bytes, so that a longer text is detected.
int read_file(const std::string& path, std::string& text, size_t max_size) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return errno;
  struct stat status {};
  int error = ::fstat(fd, &status) != 0 ? errno : S_ISREG(status.st_mode) ? 0 : EINVAL;
  if (!error && !is_own(status)) error = kOthersMayWrite;
  text.resize(error ? 0 : max_size + 1);
  size_t len = 0;
  while (!error && len < text.size()) {
    const ssize_t got = ::read(fd, text.data() + len, text.size() - len);
    if (got == 0) break;
    if (got > 0) len += static_cast<size_t>(got);
    else if (errno != EINTR) error = errno;
  }
  text.resize(len);
  ::close(fd);
  return error;
}

// Returns the reason for not having a path.
const char* why_no_path() {
  const std::string_view named = environment("VERSHINA_TUNE");
  return named.empty()    ? "no directory for caches is known"
         : named == "off" ? "VERSHINA_TUNE=off"
                          : "VERSHINA_TUNE is neither `off` nor a path from the root";
}

constexpr const char* kMalformed = "it is not a list of measured costs";

}  // namespace

Identity identity_of(std::span<const KernelInfo* const> rows) {
  return {cpu::model(), cpu::feature_names(cpu::features()), build_id(rows)};
}

void Fingerprint::add(std::string_view text) noexcept {
  const auto mix = [this](uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001b3u; };
  for (const char c : text) mix(static_cast<uint8_t>(c));
  mix(0);
}

std::string Fingerprint::hex() const {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[value_ >> shift & 15];
  return text;
}

std::string_view Line::word() noexcept { return take(rest_, ' '); }

std::optional<uint64_t> Line::number(uint64_t max) noexcept { return read_number(word(), max); }

std::optional<uint64_t> read_number(std::string_view word, uint64_t max) noexcept {
  if (word.empty() || word.size() > 18 || (word[0] == '0' && word.size() > 1)) return {};
  uint64_t number = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return {};
    number = 10 * number + static_cast<uint64_t>(c - '0');
  }
  if (number > max) return {};
  return number;
}

std::string heading(const Identity& identity) {
  return std::string(kMagic) + "\ncpu " + identity.cpu + "\nfeatures " + identity.features + "\nbuild " +
         identity.build + "\n";
}

std::string parse(std::string_view text, const Identity& here, const std::function<bool(Line)>& read) {
  if (!text.ends_with('\n')) return kMalformed;
  const std::string_view first = take(text, '\n');
  if (first != kMagic && first != kOlder)
    return first.starts_with(kProject) ? "it has the form of another version" : kMalformed;
  for (const auto& [key, value, difference] :
       {std::array<std::string_view, 3>{"cpu ", here.cpu, "it was measured on another CPU model"},
        {"features ", here.features, "it was measured with other CPU features"},
        {"build ", here.build, "it was measured with another build of Vershina"}}) {
    const std::string_view line = take(text, '\n');
    if (!line.starts_with(key)) return kMalformed;
    if (line.substr(key.size()) != value) return std::string(difference);
  }
  while (!text.empty()) {
    const std::string_view line = take(text, '\n');
    if (line.empty() || line.back() == ' ' || !read(Line(line))) return kMalformed;
  }
  return "";
}

Source read_costs(std::string_view suffix, size_t max_size,
                  const std::function<std::string(std::string_view text)>& parse) noexcept {
  Source source;
  try {
    source.path = cost_path(suffix);
    std::string text;
    if (source.path.empty()) {
      source.problem = why_no_path();
    } else if (const int error = read_file(source.path, text, max_size)) {
      source.missing = error == ENOENT;
      source.problem = error == kOthersMayWrite ? "users other than you and root may write it" : std::strerror(error);
    } else {
      source.problem = text.size() > max_size ? kMalformed : parse(text);
    }
  } catch (...) {  // no memory: as if there were no file
  }
  return source;
}

std::string cost_path(std::string_view suffix) {
  const std::string_view named = environment("VERSHINA_TUNE");
  std::string path;
  if (named.starts_with('/')) path = named;
  else if (const std::string directory = user_cache_directory(); named.empty() && !directory.empty())
    path = directory + "/" + file_name_of(cpu::model());
  return path.empty() ? path : path.append(suffix);
}

}  // namespace vsh::tuner
