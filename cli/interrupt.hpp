// SIGHUP, SIGINT, SIGQUIT, SIGTERM and the like: the temporary output disappears, a line says so, and the
// program ends by the signal.
#pragma once

#include <termios.h>

#include <string>

namespace vsh::cli {

// Installs the handlers (a signal that the caller ignores, as under nohup, stays ignored); ignores SIGPIPE
// and SIGXFSZ, so that writes report their errors.
void install_signal_handlers();

// While it lives, an interruption removes `temporary` and prints `message`. One at a time.
class InterruptGuard {
 public:
  InterruptGuard(const std::string& temporary, const std::string& message);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Runs rename() while signals wait; where it returns 0, nothing is removed any more. Returns what it
  // returned.
  int commit(int (*rename)(void* context), void* context);
};

// While it lives, an interruption puts the terminal back as it was `before`; so does its end. One at a time.
class TerminalGuard {
 public:
  TerminalGuard(int fd, const termios& before);
  ~TerminalGuard();
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;
};

}  // namespace vsh::cli
