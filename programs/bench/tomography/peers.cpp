#include "programs/bench/tomography/peers.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "programs/bench/report/published.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/parse_json.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

extern char** environ;

namespace vsh::bench {
namespace {

using cli::tr;

// `python -c` looks for modules in the working directory first, before Python 3.11 whatever PYTHONSAFEPATH says.
constexpr const char* kScript = "import sys\nsys.path[:] = [folder for folder in sys.path if folder]\n"
#include "tomography_peers_py.inc"
    ;

// From the published times (tomo2020): the processor that is nearest to today's, and the network.
constexpr const char *kPlatform = "AMD Ryzen Threadripper 3970X", *kUnet = "unet-256x256";

constexpr int kOneRun = 5;  // runs of each; the shortest counts

// Starts it with standard output into `output`. Returns 0 or an error.
int start(pid_t& child, const std::string& program, std::vector<std::string> words, int output) {
  // One thread, whatever library a peer uses.
  std::vector<std::string> settings = {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1",
                                       "NUMBA_NUM_THREADS=1"};
  std::vector<char*> argv, environment;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (std::string& setting : settings) environment.push_back(setting.data());
  for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (const int error = ::posix_spawn_file_actions_init(&files)) return error;
  if (const int error = ::posix_spawnattr_init(&attributes)) {
    (void)::posix_spawn_file_actions_destroy(&files);
    return error;
  }
  sigset_t none, all;
  (void)::sigemptyset(&none);
  (void)::sigfillset(&all);
  (void)::posix_spawnattr_setsigmask(&attributes, &none);
  (void)::posix_spawnattr_setsigdefault(&attributes, &all);
  (void)::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  (void)::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  (void)::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  const int error = ::posix_spawnp(&child, program.c_str(), &files, &attributes, argv.data(), environment.data());
  (void)::posix_spawn_file_actions_destroy(&files);
  (void)::posix_spawnattr_destroy(&attributes);
  return error;
}

// Returns the output of a program; if it fails, nothing, with the reason in `missing`.
std::string output_of(const std::string& program, const std::vector<std::string>& words, std::string& missing) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    missing = std::strerror(errno);
    return {};
  }
  const cli::Descriptor from(ends[0]);
  cli::Descriptor to(ends[1]);
  pid_t child = 0;
  if (const int error = start(child, program, words, to.get())) {
    missing = cli::quote_name(program) + ": " + std::strerror(error);
    return {};
  }
  (void)to.close();
  std::string text;
  std::array<char, 4096> piece;
  while (true) {
    const ssize_t len = ::read(from.get(), piece.data(), piece.size());
    if (len < 0 && errno == EINTR) continue;
    if (len <= 0) break;
    if (text.size() < (1 << 20)) text.append(piece.data(), static_cast<size_t>(len));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    missing = tr("{1} ended with status {2}", cli::quote_name(program), WIFEXITED(status) ? WEXITSTATUS(status) : 128);
  return text;
}

}  // namespace

const std::vector<std::string>& peer_names() {
  static const std::vector<std::string> names = {"astra", "scikit-image", "finufft", "adrt", "u-net"};
  return names;
}

Peer run_peer(const std::string& python, const std::string& name, size_t size, size_t projections) {
  Peer peer;
  peer.name = name;
  const std::string text = output_of(python,
                                     {python, "-c", kScript, "-", "--child", name, "--size", std::to_string(size),
                                      "--angles", std::to_string(projections), "--runs", std::to_string(kOneRun)},
                                     peer.missing);
  if (!peer.missing.empty()) return peer;
  const auto answer = cli::parse_json(text);
  const auto has = [&](const char* key, bool (nlohmann::json::*is)() const noexcept) {
    return answer.is_object() && answer.contains(key) && (answer[key].*is)();
  };
  if (has("missing", &nlohmann::json::is_string)) {
    peer.missing = answer["missing"].get<std::string>();
  } else if (has("seconds", &nlohmann::json::is_number)) {
    peer.milliseconds = answer["seconds"].get<double>() * 1000;
    if (has("rmse", &nlohmann::json::is_number)) peer.rmse = answer["rmse"].get<double>();
    if (has("gmac", &nlohmann::json::is_number)) peer.gmac = answer["gmac"].get<double>();
    if (has("version", &nlohmann::json::is_string)) peer.version = answer["version"].get<std::string>();
  } else {
    peer.missing = tr("it answered nothing that can be read");
  }
  return peer;
}

const std::vector<PublishedSet>& published_sets() {
  static const std::vector<PublishedSet> sets = {{511, 420, 511}, {1175, 400, 1261}};
  return sets;
}

std::optional<double> published_seconds(const std::string& algorithm, const PublishedSet& set, bool one_thread) {
  for (const PublishedTime& time : published_times("tomography-" + algorithm, kPlatform))
    if (time.work.ends_with(" " + std::to_string(set.slices) + " slices") && (time.threads == "1") == one_thread)
      return time.seconds;
  return std::nullopt;
}

double published_unet_seconds() {
  for (const PublishedTime& time : published_times(kUnet, kPlatform)) return time.seconds;
  return 0;
}

}  // namespace vsh::bench
