// SIGHUP, SIGINT, SIGQUIT, SIGTERM and the like: removes the temporary output, prints a line, and ends the program by
// the signal.
//
// All threads block these signals, and one thread takes them with sigwait(). So the clean-up is ordinary code that may
// wait for others, and a second signal waits until the first has ended the program.
#pragma once

#include <termios.h>

#include <csignal>
#include <string>

namespace vsh::cli {

// Called before other threads exist. Signals that the caller ignores (nohup) or blocks stay so. Ignores SIGPIPE and
// SIGXFSZ, so that writes report their errors.
void take_signals();

// Prevents interruptions during its lifetime; if one has begun, the constructor does not return. Held by code that
// creates, renames or removes parts of the temporary output, so that nothing appears while an interruption removes it.
// Not nested.
class InterruptHold {
 public:
  InterruptHold();
  ~InterruptHold();
  InterruptHold(const InterruptHold&) = delete;
  InterruptHold& operator=(const InterruptHold&) = delete;

 private:
  sigset_t blocked_before_;
};

// During its lifetime an interruption removes `temporary`, a file or a whole directory, and prints `message`.
class InterruptGuard {
 public:
  // Takes the hold under which `temporary` was created.
  InterruptGuard(const InterruptHold&, std::string temporary, std::string message);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Runs rename() while signals wait; if it returns 0, nothing is removed any more. Returns its result.
  template <class Rename>
  int commit(Rename rename) {
    const InterruptHold hold;
    const int error = rename();
    if (error == 0) disarm();
    return error;
  }

  static void clean_up_all();  // for the interruption

 private:
  void disarm();
  void clean_up() const;

  const std::string temporary_, message_;
  InterruptGuard* older_;  // the one that was the newest before
};

// Changes settings of a terminal; an interruption and the destructor restore them, and throw away characters typed
// but not read: a shell would show them. One at a time.
class TerminalGuard {
 public:
  TerminalGuard(int fd, const termios& before) : fd_(fd), before_(before) {}
  ~TerminalGuard();
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

  int set(const termios& settings);  // 0, or errno
  void restore() const {
    (void)::tcflush(fd_, TCIFLUSH);
    (void)::tcsetattr(fd_, TCSANOW, &before_);
  }

 private:
  const int fd_;
  const termios before_;
};

}  // namespace vsh::cli
