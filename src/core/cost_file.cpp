#include "core/cost_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/registry.hpp"
#include "core/user_cache.hpp"

namespace vsh::tuner {
namespace {

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

struct State {
  Costs costs{};
  bool tuned = false;
  bool missing = false;  // there is no file
  std::string path;      // empty: none is looked for
  std::string problem = "out of memory";
};

State read_state() noexcept {
  State state;
  try {
    state.path = cache_path();
    std::string text;
    if (state.path.empty()) {
      state.problem = why_no_path();
    } else if (const int error = read_file(state.path, text, kMaxCacheSize)) {
      state.missing = error == ENOENT;
      state.problem = read_problem(error);
    } else {
      state.problem = parse_cache(text, identity_here(), kernel_infos(), state.costs);
      state.tuned = state.problem.empty();
    }
  } catch (...) {  // no memory: as if there were no file
  }
  return state;
}

const State& state() noexcept {
  static const State read = read_state();
  return read;
}

}  // namespace

int read_file(const std::string& path, std::string& text, size_t max_size) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return errno;
  struct stat status {};
  int error = ::fstat(fd, &status) != 0 ? errno : S_ISREG(status.st_mode) ? 0 : EINVAL;
  const bool is_trusted = status.st_uid == ::geteuid() || status.st_uid == 0;
  if (!error && (!is_trusted || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)) error = kOthersMayWrite;
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

const char* read_problem(int error) {
  return error == kOthersMayWrite ? "it is not the user's or root's alone to write" : std::strerror(error);
}

const Costs* measured() noexcept { return state().tuned ? &state().costs : nullptr; }

uint32_t pass_cost(const Costs* costs, const KernelInfo& row, bool custom_sbox) noexcept {
  const auto rows = kernel_infos();
  const auto found = std::find(rows.begin(), rows.end(), &row);
  if (costs && found != rows.end()) {
    const RowCost& cost = costs->of[found - rows.begin()];
    if (cost.pass) return custom_sbox ? cost.custom : cost.pass;
  }
  return std::max(custom_sbox && row.pass_cost_custom ? row.pass_cost_custom : row.pass_cost, 1u);
}

std::string describe(std::string (*quote)(std::string_view)) {
  const State& s = state();
  if (s.tuned) return "tuned: " + quote(s.path);
  if (s.missing) return "not tuned: there is no " + quote(s.path);
  return "not tuned: " + (s.path.empty() ? "" : quote(s.path) + ": ") + s.problem;
}

const char* why_no_path() {
  const std::string_view named = environment("VERSHINA_TUNE");
  return named.empty()    ? "no directory for caches is known"
         : named == "off" ? "VERSHINA_TUNE=off"
                          : "VERSHINA_TUNE is neither `off` nor a path from the root";
}

std::string cache_path() {
  const std::string_view named = environment("VERSHINA_TUNE");
  if (!named.empty()) return named.starts_with('/') ? std::string(named) : "";
  const std::string directory = user_cache_directory();
  return directory.empty() ? "" : directory + "/" + file_name_of(cpu::model());
}

}  // namespace vsh::tuner
