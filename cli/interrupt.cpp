#include "interrupt.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

#include "console.hpp"

namespace vsh::cli {
namespace {

// The handler may run in any thread at any moment, so it shares only atomics and buffers that are filled
// before `state` says so.
enum State { idle, armed, committing, interrupted };
std::atomic<int> state = idle;
std::atomic<int> pending_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);
// What ends a program by default and can be caught, but for defects of the program itself.
constexpr int kEndingSignals[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGALRM,
                                  SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU};
char temporary_path[PATH_MAX];
char farewell[PATH_MAX + 256];
std::atomic<int> terminal = -1;  // the descriptor of a terminal whose settings are to be restored
termios terminal_before;

void end_by(int signal_number) {
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);  // inside the handler it waits until the handler returns
}

void restore_terminal() {
  const int fd = terminal.exchange(-1);
  if (fd >= 0) (void)::tcsetattr(fd, TCSANOW, &terminal_before);
}

void on_signal(int signal_number) {
  restore_terminal();
  int expected = armed;
  if (state.compare_exchange_strong(expected, interrupted)) {
    (void)::unlink(temporary_path);
    if (is_status_line_shown()) (void)!::write(STDERR_FILENO, "\n", 1);
    (void)!::write(STDERR_FILENO, farewell, std::strlen(farewell));
  } else if (expected == committing) {
    pending_signal = signal_number;  // in a moment the output is complete
    return;
  }
  end_by(signal_number);
}

void copy_text(char* to, size_t capacity, const std::string& text) {
  const size_t len = std::min(text.size(), capacity - 1);
  std::memcpy(to, text.data(), len);
  to[len] = '\0';
}

}  // namespace

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  for (const int signal_number : kEndingSignals) {
    struct sigaction before {};
    if (sigaction(signal_number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal_number, &action, nullptr);
  }
}

InterruptGuard::InterruptGuard(const std::string& temporary, const std::string& message) {
  copy_text(temporary_path, sizeof temporary_path, temporary);
  copy_text(farewell, sizeof farewell, message);
  state = armed;
}

InterruptGuard::~InterruptGuard() {
  int expected = armed;
  state.compare_exchange_strong(expected, idle);
}

int InterruptGuard::commit(int (*rename)(void* context), void* context) {
  int expected = armed;
  if (!state.compare_exchange_strong(expected, committing)) {
    for (;;) ::pause();  // the handler has removed the file and is ending the program
  }
  const int result = rename(context);
  state = result == 0 ? idle : armed;
  if (const int signal_number = pending_signal) {
    if (result != 0) (void)::unlink(temporary_path);
    end_by(signal_number);
  }
  return result;
}

TerminalGuard::TerminalGuard(int fd, const termios& before) {
  terminal_before = before;
  terminal = fd;
}

TerminalGuard::~TerminalGuard() { restore_terminal(); }

}  // namespace vsh::cli
