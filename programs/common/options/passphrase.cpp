#include "programs/common/options/passphrase.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>
#include <vershina/vershina.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "programs/common/files/input_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/secret_file_mode.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/interrupt.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

// The controlling terminal with its echo off. Lines are still edited by the terminal.
class SilentTerminal {
 public:
  SilentTerminal() : fd_(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    termios before;
    if (!fd_.is_open() || ::tcgetattr(fd_.get(), &before) != 0) {
      throw Failure(ExitCode::usage, tr("there is no terminal to ask for a passphrase"),
                    tr("give it with --passphrase-file FILE or --passphrase-fd N"));
    }
    termios silent = before;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    silent.c_lflag |= ICANON | ISIG;
    silent.c_cc[VSUSP] = _POSIX_VDISABLE;  // a stopped program would leave the shell without echo
    guard_.emplace(fd_.get(), before);
    if (const int error = guard_->set(silent)) {
      throw Failure(ExitCode::input, tr("terminal") + ": " + std::strerror(error),
                    tr("give the passphrase with --passphrase-file FILE or --passphrase-fd N"));
    }
  }

  void show(const std::string& text) const { (void)write_all(fd_.get(), text.data(), text.size()); }

  // Reads a line without its newline. Returns false if it is longer than `line`.
  bool read_line(std::span<uint8_t> line, size_t& len) const {
    bool fits = true;
    for (len = 0;;) {
      uint8_t byte = 0;
      const ssize_t got = ::read(fd_.get(), &byte, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Failure(ExitCode::input, tr("terminal") + ": " + std::strerror(errno));
      if (got == 0 || byte == '\n') break;
      if (len == line.size()) {
        fits = false;
      } else {
        line[len++] = byte;
      }
      wipe(&byte, 1);
    }
    show("\n");
    return fits;
  }

 private:
  Descriptor fd_;
  std::optional<TerminalGuard> guard_;  // restores the echo before the descriptor closes
};

std::optional<SilentTerminal> silent_terminal;
size_t num_echo_guards = 0;

// Characters. NIST SP 800-63B 5.1.1.1 has the same bound.
constexpr size_t kShortPassphrase = 8;

const char* const kTooLong = mark("a passphrase has at most 1024 bytes");
static_assert(kMaxPassphrase == 1024);

}  // namespace

EchoGuard::EchoGuard() { ++num_echo_guards; }

EchoGuard::~EchoGuard() {
  if (--num_echo_guards == 0) silent_terminal.reset();
}

void Passphrase::check(const std::string& name) const {
  if (len_ == 0)
    throw Failure(ExitCode::usage, tr("{1}: the passphrase is empty", name), tr("it needs at least one character"));
  if (len_ > kMaxPassphrase) throw Failure(ExitCode::usage, name + ": " + tr(kTooLong));
}

void Passphrase::read_from_terminal(const std::string& what, bool twice) {
  const EchoGuard silence;
  if (!silent_terminal) silent_terminal.emplace();
  const auto ask = [&](const std::string& prompt, std::span<uint8_t> line, size_t& len) {
    silent_terminal->show(prompt + ": ");
    if (!silent_terminal->read_line(line.first(kMaxPassphrase), len)) throw Failure(ExitCode::usage, tr(kTooLong));
  };
  ask(what, secret_.bytes, len_);
  check(tr("terminal"));
  if (!twice) return;
  SecretBytes<kMaxPassphrase> again;
  size_t len = 0;
  ask(tr("{1} again", what), again.bytes, len);
  if (len != len_ || !vsh_equal(secret_.bytes, again.bytes, len))
    throw Failure(ExitCode::usage, tr("the two passphrases differ"), tr("run again, and type the same twice"));
  warn_if_short(tr("terminal"));
}

void Passphrase::warn_if_short(const std::string& name) const {
  size_t num_characters = 0;
  for (const uint8_t byte : bytes()) num_characters += (byte & 0xc0) != 0x80;  // of UTF-8
  if (num_characters >= kShortPassphrase) return;
  print_note(tr("{1}: the passphrase has fewer than {2} characters, and is soon guessed", name, kShortPassphrase));
}

template <class Read>
void Passphrase::read_all(Read read, const std::string& name) {
  const std::span<uint8_t> room(secret_.bytes);
  for (len_ = 0; len_ < room.size();) {
    const size_t got = read(room.subspan(len_));
    if (got == 0) break;
    len_ += got;
  }
  if (len_ > 0 && room[len_ - 1] == '\n') --len_;
  if (len_ > 0 && len_ <= kMaxPassphrase && room[len_ - 1] == '\r')
    print_note(tr("{1}: the passphrase ends with a carriage return: was the file written on Windows?", name));
  check(name);
}

void Passphrase::read_from_file(const std::string& name, std::optional<ReadFile>* source) {
  InputFile input(name);
  read_all([&](std::span<uint8_t> out) { return input.read(out); }, input.name());
  const ReadFile file{input.name(), input.status()};
  warn_of_readers(name, file, SecretKind::passphrase);
  if (source) *source = file;
}

void Passphrase::read_from_descriptor(int fd) {
  const std::string name = tr("descriptor {1}", fd);
  const auto read = [&](std::span<uint8_t> out) {
    for (;;) {
      const ssize_t got = ::read(fd, out.data(), out.size());
      if (got >= 0) return static_cast<size_t>(got);
      if (errno == EINTR) continue;
      throw Failure(ExitCode::input, name + ": " + std::strerror(errno),
                    tr("open it for reading, as with {1}< FILE", fd), errno);
    }
  };
  read_all(read, name);
}

void PassphraseOptions::add_to(Command& command, const std::string& prefix, const std::string& whose) {
  prefix_ = "--" + prefix + "passphrase";
  what_ = whose;
  file_option_ =
      command
          .add_option(prefix_ + "-file", file_, "FILE",
                      tr("{1}: what a file holds, but for a newline at its end; - for standard input", whose))
          ->manual(
              "The passphrase, where one is needed: the content of the file, except one newline at its end; at "
              "most 1024 bytes, for a volume 512. `-` is standard input. Without this option and the next it is "
              "then asked for on the terminal, without echo; a new one twice. There is no option for the "
              "passphrase itself, because other users could see it.");
  fd_option_ = add_number(command, prefix_ + "-fd", fd_, {.max = INT_MAX},
                          tr("{1}: read from an open file descriptor to its end", whose))
                   ->manual("The passphrase, likewise from an open file descriptor.");
}

bool PassphraseOptions::given() const { return file_option_->count() + fd_option_->count() > 0; }

bool PassphraseOptions::takes_stdin() const {
  return (file_option_->count() > 0 && file_ == "-") || (fd_option_->count() > 0 && fd_ == STDIN_FILENO);
}

void PassphraseOptions::load(Passphrase& passphrase, bool twice, bool stdin_is_taken) const {
  if (file_option_->count() > 0 && fd_option_->count() > 0) {
    throw Failure(ExitCode::usage, tr("{1} and {2} exclude each other", prefix_ + "-file", prefix_ + "-fd"),
                  tr("give one of them"));
  }
  if (takes_stdin() && stdin_is_taken) {
    throw Failure(ExitCode::usage, tr("standard input is read already, and cannot hold the passphrase too"),
                  tr("give it in a file or on another descriptor"));
  }
  if (file_option_->count() == 0 && fd_option_->count() == 0) return passphrase.read_from_terminal(what_, twice);
  if (file_option_->count() > 0) {
    passphrase.read_from_file(file_, &source_);
  } else {
    passphrase.read_from_descriptor(fd_);
  }
  if (twice) passphrase.warn_if_short(source_ ? source_->name : tr("descriptor {1}", fd_));
}

}  // namespace vsh::cli
