#include "cli/options/secret_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <set>

#include "cli/options/option_values.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/translate.hpp"

namespace vsh::cli {
namespace {

Passphrase& add_passphrase(std::vector<Secret>& secrets) {
  secrets.emplace_back();
  secrets.back().passphrase = std::make_unique<Passphrase>();
  return *secrets.back().passphrase;
}

}  // namespace

vsh_recipient Secret::recipient(uint32_t iterations) const {
  if (key) return {VSH_RECIPIENT_KEY, key->secret.bytes, kKeyLen, 0, nullptr};
  return {VSH_RECIPIENT_PASSPHRASE, passphrase->data(), passphrase->size(), iterations, nullptr};
}

void SecretOptions::add_to(Command& command, const std::string& prefix, Use use) {
  use_ = use;
  prefix_ = "--" + prefix;
  const std::string p = prefix.empty() ? "-p," : "", k = prefix.empty() ? "-k," : "";
  command.add_flag(p + prefix_ + "passphrase", num_prompts_,
                   use == Use::set ? tr("Ask for a new passphrase on the terminal, twice")
                                   : tr("Ask for a passphrase on the terminal"));
  const auto add_list = [&](const std::string& name, auto& list, const std::string& text, const std::string& type) {
    return command.add_option(name, list, type, text);
  };
  add_list(k + prefix_ + "key-file", key_files_, tr("A key: a file of 32 random bytes or 64 hexadecimal digits"),
           "FILE");
  add_list(prefix_ + "passphrase-file", passphrase_files_,
           tr("A passphrase: what a file holds, but for a last newline; - for standard input"), "FILE");
  add_number(command, prefix_ + "passphrase-fd", descriptors_, {.max = INT_MAX},
             tr("A passphrase: read from an open file descriptor to its end"));
}

bool SecretOptions::given() const {
  return num_prompts_ > 0 || !key_files_.empty() || !passphrase_files_.empty() || !descriptors_.empty();
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
  for (const std::string& name : key_files_) {
    take_stdin(name == "-");
    secrets.emplace_back();
    Secret& secret = secrets.back();
    secret.key = std::make_unique<Key>();
    read_key_file(*secret.key, name, KeyFormat::automatic);
    secret.source = secret.key->source;
  }
  for (const std::string& name : passphrase_files_) {
    take_stdin(name == "-");
    add_passphrase(secrets).read_from_file(name, &secrets.back().source);
  }
  for (const int descriptor : descriptors_) {
    take_stdin(descriptor == STDIN_FILENO);
    add_passphrase(secrets).read_from_descriptor(descriptor);
  }
  return secrets;
}

void SecretOptions::ask_for_more(std::vector<Secret>& secrets, bool ask) const {
  const int num_prompts = num_prompts_ + (ask ? 1 : 0);
  for (int i = 1; i <= num_prompts; ++i) {
    const std::string what = use_ == Use::set ? tr("New passphrase") : tr("Passphrase");
    const std::string number = num_prompts > 1 ? " " + std::to_string(i) : "";
    add_passphrase(secrets).read_from_terminal(what + number, use_ == Use::set);
  }
}

std::vector<ReadFile> sources_of(const std::vector<Secret>& secrets) {
  std::vector<ReadFile> sources;
  for (const Secret& secret : secrets)
    if (secret.source) sources.push_back(*secret.source);
  return sources;
}

}  // namespace vsh::cli
