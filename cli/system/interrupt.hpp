// SIGHUP, SIGINT, SIGQUIT, SIGTERM and the like: the temporary output disappears, a line says so, and the
// program ends by the signal.
//
// All threads block these signals, and one thread takes them with sigwait(). So the clean-up is ordinary code that may
// wait for others, and a second signal waits until the first has ended the program.
#pragma once

#include <termios.h>

#include <csignal>
#include <string>

namespace vsh::cli {

// Called before there are other threads. A signal that the caller ignores, as under nohup, or blocks stays so. Ignores
// SIGPIPE and SIGXFSZ, so that writes report their errors.
void take_signals();

// While it lives, no interruption begins; where one has begun, the constructor does not return. Whoever makes, renames
// or removes anything of the temporary output holds one: nothing appears while an interruption removes it. Not nested.
class InterruptHold {
 public:
  InterruptHold();
  ~InterruptHold();
  InterruptHold(const InterruptHold&) = delete;
  InterruptHold& operator=(const InterruptHold&) = delete;

 private:
  sigset_t blocked_before_;
};

// While it lives, an interruption removes `temporary`, a file or a directory with all in it, and prints `message`. One
// at a time.
class InterruptGuard {
 public:
  // The same hold as for making `temporary`.
  InterruptGuard(const InterruptHold&, std::string temporary, std::string message);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Runs rename() while signals wait; where it returns 0, nothing is removed any more. Returns what it returned.
  template <class Rename>
  int commit(Rename rename) {
    const InterruptHold hold;
    const int error = rename();
    if (error == 0) disarm();
    return error;
  }

  void clean_up() const;  // for the interruption

 private:
  static void disarm();

  const std::string temporary_, message_;
};

// Gives a terminal other settings, which an interruption puts back, and so does the end of its life. One at a time.
class TerminalGuard {
 public:
  TerminalGuard(int fd, const termios& before) : fd_(fd), before_(before) {}
  ~TerminalGuard();
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

  int set(const termios& settings);  // 0, or errno
  void restore() const { (void)::tcsetattr(fd_, TCSANOW, &before_); }

 private:
  const int fd_;
  const termios before_;
};

}  // namespace vsh::cli
