#include "programs/common/options/secret_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <set>

#include "programs/common/options/option_values.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

// Throws Failure for a text that the library refuses, or that does not look like what it is.
void check_label(const std::string& label) {
  if (label.size() > VSH_SEALED_MAX_LABEL_LEN) {
    throw Failure(ExitCode::usage,
                  tr("--label {1}: has {2}, and a label at most {3}", quote_name(label), bytes_of(label.size()),
                     VSH_SEALED_MAX_LABEL_LEN),
                  tr("shorten it"));
  }
  if (is_visible_text(label)) return;
  throw Failure(ExitCode::usage, tr("--label {1}: has invisible characters, or is not UTF-8", quote_name(label)),
                tr("give letters, digits, signs and spaces"));
}

Passphrase& add_passphrase(std::vector<Secret>& secrets) {
  secrets.emplace_back();
  secrets.back().passphrase = std::make_unique<Passphrase>();
  return *secrets.back().passphrase;
}

}  // namespace

vsh_recipient Secret::recipient(uint32_t iterations) const {
  if (key) return {VSH_RECIPIENT_KEY, key->secret.bytes, kKeyLen, 0, label.c_str()};
  return {VSH_RECIPIENT_PASSPHRASE, passphrase->data(), passphrase->size(), iterations, label.c_str()};
}

void SecretOptions::add_to(Command& command, const std::string& prefix, Use use) {
  use_ = use;
  command_ = &command;
  prefix_ = "--" + prefix;
  const std::string p = prefix.empty() ? "-p," : "", k = prefix.empty() ? "-k," : "";
  prompt_option_ = command
                       .add_flag(p + prefix_ + "passphrase", num_prompts_,
                                 use == Use::set ? tr("Ask for a new passphrase on the terminal, twice")
                                                 : tr("Ask for a passphrase on the terminal"))
                       ->manual("Ask for a passphrase on the terminal, without echo; for a new one twice.");
  const auto add_list = [&](const std::string& name, auto& list, const std::string& text, const std::string& type) {
    return command.add_option(name, list, type, text);
  };
  key_option_ =
      add_list(k + prefix_ + "key-file", key_files_, tr("A key: a file of 32 random bytes or 64 hexadecimal digits"),
               "FILE")
          ->manual(
              "A key file: 32 random bytes, or 64 hexadecimal digits with at most one newline; `-` is standard "
              "input.");
  file_option_ =
      add_list(prefix_ + "passphrase-file", passphrase_files_,
               tr("A passphrase: what a file holds, but for a last newline; - for standard input"), "FILE")
          ->manual("A passphrase: the content of the file, except one newline at its end; `-` is standard input.");
  descriptor_option_ =
      add_number(command, prefix_ + "passphrase-fd", descriptors_, {.max = INT_MAX},
                 tr("A passphrase: read from an open file descriptor to its end"))
          ->manual(
              "A passphrase: all bytes from an open descriptor, except one newline at the end. No passphrase is "
              "changed: letters with accents, which Unicode has as one character and as two, make two passphrases.");
  if (use != Use::set) return;
  const auto take_labels = [this](const Texts& texts) {
    for (const std::string& label : texts) check_label(label);
    labels_ = texts;
  };
  label_option_ =
      command
          .add_option(
              "--label", "TEXT",
              prefix.empty()
                  ? tr("A name, for everybody to read, of the passphrase or key before this option: up to 64 bytes")
                  : tr("A name, for everybody to read, of the new passphrase or key before this option: up to 64 "
                       "bytes"),
              true, take_labels)
          ->manual(
              "A name of the passphrase or key that stands before this option, or of the one that is asked for "
              "if there is none: up to 64 bytes of UTF-8 without control characters and others that do not show. "
              "Recipients have the order of these options. Everybody who has the file can read it, with "
              "vershina-inspect(1). It is authenticated like the rest of the header.");
}

bool SecretOptions::given() const {
  return num_prompts_ > 0 || !key_files_.empty() || !passphrase_files_.empty() || !descriptors_.empty();
}

bool SecretOptions::has_passphrase() const {
  return num_prompts_ > 0 || !passphrase_files_.empty() || !descriptors_.empty();
}

bool SecretOptions::takes_stdin() const {
  const auto is_stdin = [](const std::string& name) { return name == "-"; };
  return std::any_of(key_files_.begin(), key_files_.end(), is_stdin) ||
         std::any_of(passphrase_files_.begin(), passphrase_files_.end(), is_stdin) ||
         std::find(descriptors_.begin(), descriptors_.end(), STDIN_FILENO) != descriptors_.end();
}

void SecretOptions::check_descriptors() const {
  const std::set<int> different(descriptors_.begin(), descriptors_.end());
  if (different.size() == descriptors_.size()) return;
  throw Failure(ExitCode::usage, tr("{1}: the same descriptor twice", prefix_ + "passphrase-fd"),
                tr("give each one once"));
}

void SecretOptions::check_labels(bool asks) const {
  size_t next = 0;
  bool is_named = !asks;  // the last secret has a label, or there is none
  for (const Option* option : command_->given()) {
    if (option == prompt_option_ || option == key_option_ || option == file_option_ || option == descriptor_option_)
      is_named = false;
    if (option != label_option_) continue;
    if (is_named) {
      throw Failure(
          ExitCode::usage, tr("--label {1}: no passphrase or key before it lacks a name", quote_name(labels_[next])),
          tr("give each label after what it names, as in {1} FILE --label TEXT", key_option_->names().front()));
    }
    is_named = true;
    ++next;
  }
}

void SecretOptions::find_option(Secret& secret, const Option* wanted, size_t index) const {
  size_t next = 0, num = 0, place = 0;
  bool is_wanted = wanted == nullptr;  // the passphrase that is asked for without an option
  for (const Option* option : command_->given()) {
    if (option == label_option_ && label_option_ != nullptr) {
      if (is_wanted) secret.label = labels_[next];
      ++next;
    } else if (option == prompt_option_ || option == key_option_ || option == file_option_ ||
               option == descriptor_option_) {
      is_wanted = option == wanted && num++ == index;
      ++place;
      if (is_wanted) secret.place = place;
    }
  }
}

std::vector<Secret> SecretOptions::load(bool stdin_is_taken) const {
  check_descriptors();
  std::vector<Secret> secrets;
  const auto take_stdin = [&](bool is_stdin) {
    if (!is_stdin) return;
    if (stdin_is_taken) {
      throw Failure(ExitCode::usage, tr("standard input is read already, and cannot hold a key or a passphrase too"),
                    tr("give it in a file or on another descriptor"));
    }
    stdin_is_taken = true;
  };
  for (size_t i = 0; i < key_files_.size(); ++i) {
    const std::string& name = key_files_[i];
    take_stdin(name == "-");
    secrets.emplace_back();
    Secret& secret = secrets.back();
    find_option(secret, key_option_, i);
    secret.key = std::make_unique<Key>();
    read_key_file(*secret.key, name, KeyFormat::automatic);
    secret.source = secret.key->source;
  }
  for (size_t i = 0; i < passphrase_files_.size(); ++i) {
    const std::string& name = passphrase_files_[i];
    take_stdin(name == "-");
    add_passphrase(secrets).read_from_file(name, &secrets.back().source);
    if (use_ == Use::set) secrets.back().passphrase->warn_if_short(secrets.back().source->name);
    find_option(secrets.back(), file_option_, i);
  }
  for (size_t i = 0; i < descriptors_.size(); ++i) {
    take_stdin(descriptors_[i] == STDIN_FILENO);
    add_passphrase(secrets).read_from_descriptor(descriptors_[i]);
    if (use_ == Use::set) secrets.back().passphrase->warn_if_short(tr("descriptor {1}", descriptors_[i]));
    find_option(secrets.back(), descriptor_option_, i);
  }
  return secrets;
}

void SecretOptions::ask_for_more(std::vector<Secret>& secrets, bool ask) const {
  const int num_prompts = num_prompts_ + (ask ? 1 : 0);
  for (int i = 1; i <= num_prompts; ++i) {
    const std::string what = use_ == Use::set ? tr("New passphrase") : tr("Passphrase");
    const std::string number = num_prompts > 1 ? " " + std::to_string(i) : "";
    add_passphrase(secrets).read_from_terminal(what + number, use_ == Use::set);
    const bool has_option = i <= num_prompts_;
    find_option(secrets.back(), has_option ? prompt_option_ : nullptr, static_cast<size_t>(i - 1));
  }
  if (use_ != Use::set) return;
  std::stable_sort(secrets.begin(), secrets.end(), [](const Secret& a, const Secret& b) { return a.place < b.place; });
}

std::vector<ReadFile> sources_of(const std::vector<Secret>& secrets) {
  std::vector<ReadFile> sources;
  for (const Secret& secret : secrets)
    if (secret.source) sources.push_back(*secret.source);
  return sources;
}

}  // namespace vsh::cli
