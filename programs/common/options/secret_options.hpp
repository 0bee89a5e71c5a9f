// Secrets of a sealed file: any number of passphrases and key files.
#pragma once

#include <vershina/vershina.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/command.hpp"
#include "programs/common/options/key_file.hpp"
#include "programs/common/options/passphrase.hpp"

namespace vsh::cli {

// A passphrase or a key, and its source. Erased on destruction.
struct Secret {
  std::unique_ptr<Passphrase> passphrase;  // or
  std::unique_ptr<Key> key;
  std::optional<ReadFile> source;  // the file that it was read from: no output may replace it
  std::string label;               // of a new recipient; may be empty
  size_t place = 0;                // of its option among the others

  vsh_recipient_kind kind() const { return key ? VSH_RECIPIENT_KEY : VSH_RECIPIENT_PASSPHRASE; }
  // Returns it in the library's form, with its label; refers to this. iterations: of an added passphrase, else 0.
  vsh_recipient recipient(uint32_t iterations = 0) const;
};

// -p, -k, --passphrase-file and --passphrase-fd, each any number of times; for new secrets also --label, after the one
// that it names.
class SecretOptions {
 public:
  enum class Use { set, open };  // set: prompts for a passphrase twice

  // prefix: the beginning of the options' names, such as "new-"; then they have no short names.
  void add_to(Command& command, const std::string& prefix, Use use);

  bool given() const;
  // Returns whether one of them is a passphrase.
  bool has_passphrase() const;
  // Returns whether one of them is read from standard input.
  bool takes_stdin() const;

  // Throws Failure for a label of no secret. asks: as for ask_for_more. For new secrets, before load().
  void check_labels(bool asks) const;

  // Loads those from key files, then passphrases from files and descriptors. stdin_is_taken: standard input has another
  // use. Throws Failure.
  std::vector<Secret> load(bool stdin_is_taken) const;
  // Adds those from the terminal: one for each -p, and one more if `ask`. New secrets then have the order of their
  // options; of those that open, keys, which cost nothing, come first. Throws Failure.
  void ask_for_more(std::vector<Secret>& secrets, bool ask) const;

 private:
  void check_descriptors() const;
  // Sets the place of the secret that number `index`, from 0, of an option gives, and the label that follows it.
  void find_option(Secret& secret, const Option* option, size_t index) const;

  Use use_ = Use::open;
  const Command* command_ = nullptr;
  Option *prompt_option_ = nullptr, *key_option_ = nullptr, *file_option_ = nullptr, *descriptor_option_ = nullptr;
  Option* label_option_ = nullptr;  // null: secrets that open
  std::string prefix_;
  int num_prompts_ = 0;
  std::vector<std::string> key_files_, passphrase_files_, labels_;
  std::vector<int> descriptors_;
};

// The files that secrets were read from.
std::vector<ReadFile> sources_of(const std::vector<Secret>& secrets);

}  // namespace vsh::cli
