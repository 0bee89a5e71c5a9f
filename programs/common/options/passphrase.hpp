// Passphrases: from the terminal, a file or a descriptor; never from the command line, where `ps` shows them.
#pragma once

#include <vershina/vershina.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/command.hpp"
#include "programs/common/system/secret_buffer.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

// Bytes; fits in a line of a terminal.
constexpr size_t kMaxPassphrase = VSH_SEALED_MAX_PASSPHRASE_LEN;

// During its lifetime, a terminal that was asked for a passphrase stays without echo: characters typed too early, while
// a key is derived, are not shown. Those that no question took are thrown away at the end, so that no shell shows them.
class EchoGuard {
 public:
  EchoGuard();
  ~EchoGuard();
  EchoGuard(const EchoGuard&) = delete;
  EchoGuard& operator=(const EchoGuard&) = delete;
};

// At least one byte, as typed: UTF-8 on today's terminals. Erased at the end of the scope.
class Passphrase {
 public:
  std::span<const uint8_t> bytes() const { return std::span(secret_.bytes).first(len_); }
  const uint8_t* data() const { return secret_.bytes; }
  size_t size() const { return len_; }

  // The functions below replace the passphrase. They throw Failure: not readable, empty, too long.

  // Asks on the controlling terminal, without echo. what: "Passphrase" or "New passphrase". twice: asks again for a new
  // passphrase, which must be the same.
  void read_from_terminal(const std::string& what, bool twice);
  // Reads to the end, without a final newline. name: "-" is standard input.
  void read_from_file(const std::string& name, std::optional<ReadFile>* source = nullptr);
  void read_from_descriptor(int fd);

  // Prints a note if a new passphrase is one that is soon guessed. name: where it was read.
  void warn_if_short(const std::string& name) const;

 private:
  // read(span): bytes got, 0 at the end.
  template <class Read>
  void read_all(Read read, const std::string& name);
  void check(const std::string& name) const;

  SecretBytes<kMaxPassphrase + 2> secret_;  // room for a newline, and for one excess byte
  size_t len_ = 0;
};

// --passphrase-file and --passphrase-fd; without them the passphrase is read from the terminal.
class PassphraseOptions {
 public:
  // prefix: before "passphrase" in the options' names ("new-"); whose: the passphrase's purpose, for the help text.
  void add_to(Command& command, const std::string& prefix = "", const std::string& whose = tr("Passphrase"));

  bool given() const;        // one of the options
  bool takes_stdin() const;  // standard input is read for it

  // stdin_is_taken: data or a key comes from there. Throws Failure.
  void load(Passphrase& passphrase, bool twice, bool stdin_is_taken) const;

  // The file read by load(): no output may replace it.
  const std::optional<ReadFile>& source() const { return source_; }

 private:
  std::string file_, what_, prefix_;
  int fd_ = -1;
  Option* file_option_ = nullptr;
  Option* fd_option_ = nullptr;
  mutable std::optional<ReadFile> source_;
};

}  // namespace vsh::cli
