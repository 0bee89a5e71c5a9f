// Who can open a sealed file: passphrases and key files, as many as are given.
#pragma once

#include <vershina/vershina.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command.hpp"
#include "cli/options/key_file.hpp"
#include "cli/files/output_file.hpp"
#include "cli/options/passphrase.hpp"

namespace vsh::cli {

// One of them, and where it came from. Erased when it goes.
struct Secret {
  std::unique_ptr<Passphrase> passphrase;  // or
  std::unique_ptr<Key> key;
  std::optional<ReadFile> source;  // the file that it was read from: no output may replace it

  vsh_recipient_kind kind() const { return key ? VSH_RECIPIENT_KEY : VSH_RECIPIENT_PASSPHRASE; }
  // As the library takes it; refers to this. iterations: of a passphrase that is added, else 0.
  vsh_recipient recipient(uint32_t iterations = 0) const;
};

// -p, -k, --passphrase-file and --passphrase-fd, each any number of times.
class SecretOptions {
 public:
  enum class Use { set, open };  // a new passphrase is asked for twice

  // prefix: what the options' names begin with, such as "new-"; then they have no short names.
  void add_to(Command& command, const std::string& prefix, Use use);

  bool given() const;
  // Standard input is read for one of them.
  bool takes_stdin() const;

  // Those from key files, then passphrases from files and descriptors. stdin_is_taken: something else is read from
  // there. Throws Failure.
  std::vector<Secret> load(bool stdin_is_taken) const;
  // Adds those from the terminal, of which there is one more than -p asks for where `ask`. Throws Failure.
  void ask_for_more(std::vector<Secret>& secrets, bool ask) const;

 private:
  void check_descriptors() const;

  Use use_ = Use::open;
  std::string prefix_;
  int num_prompts_ = 0;
  std::vector<std::string> key_files_, passphrase_files_;
  std::vector<int> descriptors_;
};

// The files that secrets were read from.
std::vector<ReadFile> sources_of(const std::vector<Secret>& secrets);

}  // namespace vsh::cli
