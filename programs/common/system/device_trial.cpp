#include "programs/common/system/device_trial.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <vershina/device.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/environment.hpp"
#include "programs/common/system/secret_buffer.hpp"
#include "programs/common/text/translate.hpp"

extern char** environ;

namespace vsh::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kWord = "--device-trial";
constexpr const char* kBackEnds[] = {"cuda", "opencl"};  // in the order in which the library uses them
// Time limits of a child: the first start of a driver that has many GPUs to wake takes seconds.
constexpr int kSeconds = 30, kMaxSeconds = 3600;

// A child writes the letter of each back end before its drivers are used, and this at the end.
constexpr char kDone = '.';
char letter_of(std::string_view back_end) { return back_end.front(); }

// Returns the time for the trial that VERSHINA_DEVICE_TRIAL asks for, if any.
std::optional<int> seconds_allowed() {
  const std::string_view text = environment("VERSHINA_DEVICE_TRIAL");
  if (text == "off") return std::nullopt;
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && seconds > 0 ? std::min(seconds, kMaxSeconds) : kSeconds;
}

struct Outcome {
  std::string begun;       // the letters of the back ends
  bool done = false;       // the last of them too
  bool late = false;       // ended for taking too long
  std::optional<int> end;  // of waitpid(); unknown if someone else took it
};

// Starts this program again with these words. Returns its id, or -1 if that is not possible.
pid_t start_child(const std::vector<std::string>& words, int output) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (::posix_spawn_file_actions_init(&files) != 0) return -1;
  if (::posix_spawnattr_init(&attributes) != 0) {
    ::posix_spawn_file_actions_destroy(&files);
    return -1;
  }
  sigset_t none, ignored_here;
  sigemptyset(&none);
  sigemptyset(&ignored_here);
  for (const int number : {SIGPIPE, SIGXFSZ, SIGCHLD}) sigaddset(&ignored_here, number);
  pid_t child = -1;
  const bool ready = ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
                     ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO) == 0 &&
                     ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                     ::posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
                     ::posix_spawnattr_setsigdefault(&attributes, &ignored_here) == 0 &&
                     ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0;
  // Not a name: that may be another program by now.
  if (!ready || ::posix_spawn(&child, "/proc/self/exe", &files, &attributes, argv.data(), environ) != 0) child = -1;
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return child;
}

// Waits for the end of a process; one that ignores SIGKILL, in a call of its driver, is left to the system.
std::optional<int> reap(pid_t child) {
  for (int i = 0; i < 200; ++i) {
    int status = 0;
    const pid_t got = ::waitpid(child, &status, WNOHANG);
    if (got == child) return status;
    if (got < 0 && errno != EINTR) return std::nullopt;
    (void)::poll(nullptr, 0, 10);
  }
  return std::nullopt;
}

// Returns nullopt if no child can be started: no /proc, no more processes allowed.
std::optional<Outcome> run_child(const std::vector<std::string>& back_ends, int seconds) {
  std::vector<std::string> words = {"vershina", kWord};
  words.insert(words.end(), back_ends.begin(), back_ends.end());
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return std::nullopt;
  const Descriptor from(fds[0]);
  Descriptor to(fds[1]);
  const pid_t child = start_child(words, to.get());
  if (child < 0) return std::nullopt;
  to.close();

  Outcome outcome;
  const auto deadline = Clock::now() + std::chrono::seconds(seconds);
  while (!outcome.done) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd pipe = {from.get(), POLLIN, 0};
    const int ready = left > 0 ? ::poll(&pipe, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    outcome.late = ready == 0;
    char letter = 0;
    const ssize_t len = ready > 0 ? ::read(from.get(), &letter, 1) : 0;
    if (len < 0 && errno == EINTR) continue;
    if (len <= 0) break;
    if (letter == kDone) outcome.done = true;
    else outcome.begun += letter;
  }
  // A child that is done has nothing left to say; what its drivers do at their end would only take time.
  if (outcome.done || outcome.late) (void)::kill(child, SIGKILL);
  outcome.end = reap(child);
  return outcome;
}

std::string title_of(std::string_view back_end) { return back_end == "cuda" ? "CUDA" : "OpenCL"; }

std::string problem_of(std::string_view back_end, const Outcome& outcome, int seconds) {
  const std::string title = title_of(back_end);
  if (outcome.late) return tr("{1}: the driver did not answer within {2} seconds", title, seconds);
  if (outcome.end && WIFEXITED(*outcome.end))
    return tr("{1}: the driver ended the process with status {2}", title, WEXITSTATUS(*outcome.end));
  if (!outcome.end || !WIFSIGNALED(*outcome.end)) return tr("{1}: the driver ended the process", title);
  const int number = WTERMSIG(*outcome.end);
  const std::string signal = std::to_string(number);
  if (number != SIGABRT) return tr("{1}: the driver crashed (signal {2})", title, signal);
  if (::access("/sys/devices/system/cpu", F_OK) != 0)
    return tr("{1}: the driver aborted (signal {2}); /sys, which some drivers need, is not mounted", title, signal);
  return tr("{1}: the driver aborted (signal {2})", title, signal);
}

// The library calls this once for each back end, on one thread at a time.
struct Trials {
  std::map<std::string, std::string, std::less<>> problems;  // "" for one that works
  std::vector<std::string> to_report;

  const char* check(const std::string& back_end) {
    if (const auto known = problems.find(back_end); known != problems.end()) return known->second.c_str();
    const std::optional<int> seconds = seconds_allowed();
    if (!seconds) return nullptr;
    // One child tries this back end and those that follow.
    const auto first = std::find(std::begin(kBackEnds), std::end(kBackEnds), back_end);
    const auto outcome = run_child({first, std::end(kBackEnds)}, *seconds);
    if (!outcome) return nullptr;
    for (auto next = first; next != std::end(kBackEnds); ++next) {
      const size_t at = outcome->begun.find(letter_of(*next));
      if (at == std::string::npos) break;  // the one before did not come back
      const bool works = outcome->done || at + 1 < outcome->begun.size();
      problems[*next] = works ? "" : problem_of(*next, *outcome, *seconds);
      if (!works) to_report.push_back(problems[*next]);
    }
    // A child that never got to its drivers, for example without memory, tells nothing about them.
    const auto known = problems.find(back_end);
    return known == problems.end() ? nullptr : known->second.c_str();
  }
};

Trials& trials() {
  static Trials* const the_trials = new Trials;  // never destroyed: the library keeps the texts
  return *the_trials;
}

// In a child: the back ends to try, and where to report; drivers may write to standard output.
std::vector<std::string_view> in_trial;
Descriptor report;

const char* check_in_child(const char* back_end) {
  if (std::find(in_trial.begin(), in_trial.end(), back_end) == in_trial.end()) return "not tried";
  const char letter = letter_of(back_end);
  return write_all(report.get(), &letter, 1) == 0 ? "" : "nobody reads the result";
}

}  // namespace

void try_devices_first() {
  vsh_device_set_check([](const char* back_end) { return trials().check(back_end); });
}

bool is_device_trial(int argc, const char* const* argv) { return argc > 1 && std::strcmp(argv[1], kWord) == 0; }

int run_device_trial(int argc, const char* const* argv) {
#if defined(SYS_close_range)
  (void)::syscall(SYS_close_range, STDERR_FILENO + 1u, ~0u, 0u);  // those of a passphrase are not for drivers
#endif
  keep_memory_private();  // no core files of drivers
#if defined(__linux__)
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  report = Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!report.is_open() || ::dup2(nowhere.get(), STDOUT_FILENO) < 0) return 1;
  in_trial.assign(argv + 2, argv + argc);
  vsh_device_set_check(check_in_child);
  vsh_device_info first;
  (void)vsh_device(0, &first);  // fills the list of all
  (void)write_all(report.get(), &kDone, 1);
  ::_exit(0);
}

std::vector<std::string> take_trial_problems() { return std::exchange(trials().to_report, {}); }

}  // namespace vsh::cli
