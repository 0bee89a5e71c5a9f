#include "programs/common/system/interrupt.hpp"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>
#include <utility>

#include "programs/common/system/console.hpp"
#include "programs/common/system/remove_tree.hpp"
#include "programs/common/system/try_thread.hpp"

namespace vsh::cli {
namespace {

// Signals that end a program by default and can be caught, except those for defects of the program.
constexpr int kEndingSignals[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGALRM,
                                  SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU};
sigset_t taken;  // those of them that are ours
std::mutex hold_mutex;
// Guarded by that mutex.
InterruptGuard* newest = nullptr;
const TerminalGuard* changed_terminal = nullptr;

// Whether a thread takes the signals; if none could be created, a handler runs on the only thread.
std::atomic<bool> has_taker = false;
pthread_t taker;

[[noreturn]] void end_by(int signal_number) {
  const InterruptHold hold;  // never released
  if (changed_terminal) changed_terminal->restore();
  InterruptGuard::clean_up_all();
  std::signal(signal_number, SIG_DFL);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  std::raise(signal_number);
  for (;;) ::pause();
}

// While there is such a thread, only threads that a library started before main(), or in which it unblocked signals,
// get here.
void on_signal(int signal_number) {
  if (!has_taker) end_by(signal_number);
  pthread_kill(taker, signal_number);
}

void take_one() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);  // SIGTTOU too: restores the terminal in the background, too
  int signal_number = 0;
  while (sigwait(&taken, &signal_number) != 0) continue;
  end_by(signal_number);
}

}  // namespace

void take_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  sigemptyset(&taken);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  for (const int signal_number : kEndingSignals) {
    struct sigaction before {};
    if (sigaction(signal_number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    if (sigismember(&blocked, signal_number)) continue;
    sigaction(signal_number, &action, nullptr);
    sigaddset(&taken, signal_number);
  }
  pthread_sigmask(SIG_BLOCK, &taken, nullptr);
  std::jthread thread = try_thread(take_one);
  if (thread.joinable()) {
    taker = thread.native_handle();
    has_taker = true;
    thread.detach();
  } else {
    pthread_sigmask(SIG_UNBLOCK, &taken, nullptr);
  }
}

InterruptHold::InterruptHold() {
  pthread_sigmask(SIG_BLOCK, &taken, &blocked_before_);
  hold_mutex.lock();
}

InterruptHold::~InterruptHold() {
  hold_mutex.unlock();
  pthread_sigmask(SIG_SETMASK, &blocked_before_, nullptr);
}

InterruptGuard::InterruptGuard(const InterruptHold&, std::string temporary, std::string message)
    : temporary_(std::move(temporary)), message_(std::move(message)), older_(newest) {
  newest = this;
}

InterruptGuard::~InterruptGuard() {
  const InterruptHold hold;
  disarm();
}

void InterruptGuard::disarm() {
  for (InterruptGuard** guard = &newest; *guard != nullptr; guard = &(*guard)->older_) {
    if (*guard != this) continue;
    *guard = older_;
    return;
  }
}

void InterruptGuard::clean_up_all() {
  for (const InterruptGuard* guard = newest; guard != nullptr; guard = guard->older_) guard->clean_up();
}

void InterruptGuard::clean_up() const {
  (void)remove_tree(temporary_.c_str());
  // Not through the console, which another thread may hold; and a full pipe may have no reader.
  pollfd standard_error = {STDERR_FILENO, POLLOUT, 0};
  if (::poll(&standard_error, 1, 1000) <= 0) return;
  const std::string text = (is_status_line_shown() ? "\n" : "") + error_lines(message_);
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

TerminalGuard::~TerminalGuard() {
  const InterruptHold hold;
  if (changed_terminal == this) restore();
  changed_terminal = nullptr;
}

int TerminalGuard::set(const termios& settings) {
  const InterruptHold hold;
  changed_terminal = this;
  return ::tcsetattr(fd_, TCSAFLUSH, &settings) == 0 ? 0 : errno;
}

}  // namespace vsh::cli
