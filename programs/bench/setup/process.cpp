#include "programs/bench/setup/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "measure/clock.hpp"
#include "programs/common/system/companion.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

extern char** environ;

namespace vsh::bench {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable; ++variable) all.emplace_back(*variable);
  for (const std::string& change : changes) {
    const std::string name = change.substr(0, change.find('=') + 1);
    std::erase_if(all, [&](const std::string& variable) { return variable.starts_with(name); });
    all.push_back(change);
  }
  return all;
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void open(int fd, const std::string& name, int flags) {
    posix_spawn_file_actions_addopen(&actions_, fd, name.c_str(), flags, 0600);
  }
  void dup(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// The program's threads block signals, which one of them takes (programs/common/system/interrupt.hpp); its children
// must receive theirs.
class NoSignalsBlocked {
 public:
  NoSignalsBlocked() {
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~NoSignalsBlocked() { posix_spawnattr_destroy(&attributes_); }
  NoSignalsBlocked(const NoSignalsBlocked&) = delete;
  NoSignalsBlocked& operator=(const NoSignalsBlocked&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

std::string read_file(const std::filesystem::path& name) {
  std::ifstream file(name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code none;
  std::string name = (std::filesystem::temp_directory_path(none) / "vershina-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw cli::Failure(cli::ExitCode::output, cli::tr("{1}: no temporary folder: {2}", name, std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

Finished run_program(const std::vector<std::string>& arguments, const std::string& input,
                     const std::vector<std::string>& environment) {
  const TemporaryFolder folder;
  const std::string output = folder / "output", error = folder / "error";
  FileActions actions;
  actions.open(0, input.empty() ? "/dev/null" : input, O_RDONLY);
  actions.open(1, output, O_WRONLY | O_CREAT);
  actions.open(2, error, O_WRONLY | O_CREAT);
  std::vector<std::string> words = arguments, variables = environment_with(environment);
  const auto argv = pointers(words), envp = pointers(variables);

  const double begin = measure::wall_seconds();
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, argv[0], actions.get(), NoSignalsBlocked().get(), argv.data(), envp.data());
  if (failed) return {127, 0, 0, "", std::strerror(failed)};
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  Finished finished;
  finished.wall_seconds = measure::wall_seconds() - begin;
  finished.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.output = read_file(output);
  std::istringstream errors(read_file(error));
  for (std::string line; std::getline(errors, line);) {
    const bool says_error = line.find("error") != std::string::npos;
    if (says_error || finished.error.empty()) finished.error = line;
    if (says_error) break;
  }
  return finished;
}

std::string vershina_program() {
  static const cli::Installed found = cli::find_companion("vershina");
  if (!found)
    throw cli::Failure(cli::ExitCode::usage, cli::tr("the program vershina is not in the folder of this one"),
                       cli::tr("install the package {1}", "vershina"));
  return found.path;
}

Partner::Partner(const std::string& program) {
  int request[2], answer[2];
  if (pipe2(request, O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
  if (pipe2(answer, O_CLOEXEC) != 0) {
    close(request[0]), close(request[1]);
    throw std::runtime_error(std::strerror(errno));
  }
  FileActions actions;
  actions.dup(request[0], 0);
  actions.dup(answer[1], 1);
  std::vector<std::string> words = {program};
  const int failed =
      posix_spawn(&pid_, program.c_str(), actions.get(), NoSignalsBlocked().get(), pointers(words).data(), environ);
  close(request[0]), close(answer[1]);
  to_ = request[1], from_ = answer[0];
  if (failed) {
    close(to_), close(from_);
    throw std::runtime_error(std::strerror(failed));
  }
}

Partner::~Partner() {
  close(to_);  // its end of file
  close(from_);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Partner::send(std::span<const std::byte> data) {
  while (!data.empty()) {
    const ssize_t n = write(to_, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::runtime_error("the program ended too early");
    data = data.subspan(static_cast<size_t>(n));
  }
}

void Partner::receive(std::span<std::byte> data) {
  while (!data.empty()) {
    const ssize_t n = read(from_, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::runtime_error("the program ended too early");
    data = data.subspan(static_cast<size_t>(n));
  }
}

}  // namespace vsh::bench
