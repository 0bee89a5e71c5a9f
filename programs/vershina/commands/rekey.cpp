// `vershina rekey`: changes the passphrases and key files of a sealed file, not its content.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/secret_options.hpp"
#include "programs/common/sealing/derivation.hpp"
#include "programs/common/sealing/sealed_file.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/interrupt.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/commands.hpp"

namespace vsh::cli {
namespace {

struct RekeySettings {
  std::string file;
  SecretOptions secrets, new_secrets;
  SealedEngine engine;
  DerivationOptions derivation;
  WorkLimits limits;
  std::vector<unsigned> remove;  // from 1, as in `inspect`
  bool keep = false;
};

// Opens the file and locks it where possible: two concurrent runs would overwrite each other's slots.
Descriptor open_locked(const std::string& name, const std::string& shown) {
  Descriptor fd(::open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!fd.is_open()) {
    throw Failure(ExitCode::output, shown + ": " + std::strerror(errno), tr("check its name and permissions"), errno);
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      throw Failure(ExitCode::output, tr("{1}: another rekey is at work on it", shown), tr("wait until it is done"));
    }
    // Some network file systems have no locks, and a single user needs none.
    print_error(tr("{1}: this file system does not lock it ({2}): run no other rekey of it at the same time", shown,
                   std::strerror(errno)));
  }
  struct stat locked {
  }, named{};
  if (::fstat(fd.get(), &locked) != 0 || ::stat(name.c_str(), &named) != 0 || locked.st_dev != named.st_dev ||
      locked.st_ino != named.st_ino) {
    throw Failure(ExitCode::output, tr("{1}: another rekey has just replaced it", shown), tr("run the command again"));
  }
  return fd;
}

// Writes a slot to both of its places in the file, one after the other, each synchronised before the next is touched:
// after a crash in between, one of them is whole.
class SlotWriter {
 public:
  SlotWriter(int fd, std::vector<uint8_t> slot, size_t first) : fd_(fd), slot_(std::move(slot)), first_(first) {}

  int run() const {
    const int error = put(first_);
    return error != 0 ? error : put(VSH_SEALED_NUM_SLOTS - 1 - first_);
  }

 private:
  int put(size_t place) const {
    for (size_t done = 0; done < slot_.size();) {
      const auto at = static_cast<off_t>(place * slot_.size() + done);
      const ssize_t len = ::pwrite(fd_, slot_.data() + done, slot_.size() - done, at);
      if (len < 0 && errno != EINTR) return errno;
      if (len > 0) done += static_cast<size_t>(len);
    }
    return ::fsync(fd_) == 0 ? 0 : errno;
  }

  const int fd_;
  const std::vector<uint8_t> slot_;
  const size_t first_;
};

class RekeyCommand {
 public:
  explicit RekeyCommand(RekeySettings& settings) : settings_(settings), options_(settings.engine.options()) {
    if (settings.file == "-") {
      throw Failure(ExitCode::usage, tr("rekey changes a file in place, and - is not a file"), tr("name the file"));
    }
  }

  void run() {
    const std::string name = quote_name(settings_.file);
    const bool ask_new = !settings_.new_secrets.given() && !settings_.keep && settings_.remove.empty();
    settings_.derivation.check();
    settings_.new_secrets.check_labels(ask_new);
    const Descriptor fd = open_locked(settings_.file, name);
    InputFile input(Descriptor(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3)), name);
    if (!S_ISREG(input.status().st_mode))
      throw Failure(ExitCode::usage, tr("{1}: is not a file", name), tr("name a sealed file"));
    const SealedHeader header(input);
    const OpenerContext opener = new_opener(name, header, settings_.limits, options_);
    const vsh_sealed_info shown = inspect_header(name, header);
    const bool ask = !settings_.secrets.given();
    if (ask) check_has_passphrase(shown, name);
    if (ask || settings_.secrets.has_passphrase()) settings_.limits.check(shown, name);
    std::optional<EchoGuard> silence(std::in_place);
    std::vector<Secret> secrets = settings_.secrets.load(false);
    settings_.secrets.ask_for_more(secrets, ask);
    const vsh_sealed_info info = unlock(opener.get(), name, secrets);
    std::vector<Secret> added = settings_.new_secrets.load(settings_.secrets.takes_stdin());
    settings_.new_secrets.ask_for_more(added, ask_new);
    const std::vector<size_t> without = removed(opener.get(), info, added);
    const size_t needed = vsh_sealed_slot_len(info.num_recipients - without.size() + added.size());
    if (needed == 0) throw Failure(ExitCode::usage, tr("too many passphrases and keys"), tr("a file has at most 32"));
    size_t first = 0;
    if (info.slot_len >= VSH_SEALED_IN_PLACE_SLOT_LEN && needed <= info.slot_len) {
      std::vector<uint8_t> slot = new_slot(opener.get(), info.slot_len, first, added, without);
      replace(SlotWriter(fd.get(), std::move(slot), first), name);
    } else {
      header.give_back(input, vsh_opener_header_len(opener.get()));
      const size_t slot_len = std::max(needed, least_slot_len(input.remaining_at_open()));
      const std::vector<uint8_t> slot = new_slot(opener.get(), slot_len, first, added, without);
      silence.reset();  // keys are derived, and copying may take long
      copy(slot, input);
    }
  }

 private:
  // Returns the numbers, from 0, of the recipients to remove.
  std::vector<size_t> removed(const vsh_opener* opener, const vsh_sealed_info& info,
                              const std::vector<Secret>& added) const {
    std::set<size_t> numbers;
    for (const unsigned number : settings_.remove) {
      if (number < 1 || number > info.num_recipients) {
        throw Failure(ExitCode::usage, tr("--remove {1}: there is no such recipient", number),
                      tr("`vershina inspect` numbers them"));
      }
      numbers.insert(number - 1);
    }
    if (!added.empty() && !settings_.keep) {
      size_t own = 0;
      check(vsh_opener_recipient(opener, &own));
      numbers.insert(own);
    }
    if (added.empty() && numbers.size() == info.num_recipients) {
      throw Failure(ExitCode::usage, tr("nobody could open the file any more"), tr("add a recipient, or keep one"));
    }
    return {numbers.begin(), numbers.end()};
  }

  std::vector<uint8_t> new_slot(vsh_opener* opener, size_t slot_len, size_t& first, const std::vector<Secret>& added,
                                const std::vector<size_t>& removed) const {
    const Derivation derivation = settings_.derivation.choose(added, options_);
    check(vsh_opener_set_argon2id(opener, derivation.cost()));
    std::vector<vsh_recipient> recipients;
    for (const Secret& secret : added) {
      recipients.push_back(secret.recipient(secret.passphrase ? derivation.iterations : 0));
    }
    std::vector<uint8_t> slot(slot_len);
    check(vsh_opener_rekey(opener, slot.data(), slot.size(), &first, recipients.data(), recipients.size(),
                           removed.data(), removed.size()));
    return slot;
  }

  // Writes a new file that replaces the old one: short slots share a disk sector, which a crash may destroy whole, and
  // longer slots move the payload.
  void copy(const std::vector<uint8_t>& slot, InputFile& input) const {
    OutputFile output(settings_.file, true, OutputFile::Content::any, {});
    for (size_t place = 0; place < VSH_SEALED_NUM_SLOTS; ++place) output.write(slot);
    std::vector<uint8_t> piece(size_t{1} << 20);
    while (const size_t len = input.read(piece)) output.write(std::span(piece).first(len));
    input.check_unchanged();
    output.commit();
    if (input.status().st_nlink > 1) {
      print_note(tr(
          "{1}: its other names (hard links) still lead to the old file, which opens with the old passphrases and keys",
          input.name()));
    }
  }

  void replace(const SlotWriter& writer, const std::string& name) const {
    const InterruptHold hold;
    const int error = writer.run();
    if (error == 0) return;
    throw output_failure(name, error, tr("the old or the new passphrases hold: run the command again"));
  }

  void check(vsh_status status) const {
    if (status == VSH_OK) return;
    if (status == VSH_E_PARAMETERS) {
      throw Failure(ExitCode::usage,
                    tr("too many iterations, or too much work of argon2id, for all passphrases together, or too many "
                       "changes before"),
                    tr("--remove some, let the new ones cost less, or seal the content anew"));
    }
    throw engine_failure(status, "kuznyechik", options_);
  }

  RekeySettings& settings_;
  const vsh_options options_;
};

constexpr const char* kRekeyExamples =
    mark(R"(The passphrase or key that opened the file is replaced by the new ones; --keep keeps it as well.
Without any of the new ones a passphrase is asked for, unless there is --keep or --remove. The content
stays as it is: in files of 1 MiB or more only the header is written, in its place; a smaller file, or one
whose header becomes longer, is replaced by a copy. A crash at any moment leaves the old passphrases or
the new ones.

Someone who knew an old passphrase may have opened the file, or kept a copy of its old header: where that
matters, seal it anew.

Examples:
  vershina rekey report.pdf.sealed                       asks for the old passphrase, and for a new one, twice
  vershina rekey -k office.key --keep --new-passphrase plan.odt.sealed
  vershina rekey -k office.key --keep --new-key-file bob.key --label Bob plan.odt.sealed
  vershina rekey --remove 2 plan.odt.sealed              number 2 of `vershina inspect` opens it no more
  vershina rekey --keep plan.odt.sealed                  repairs a damaged copy of the header)");

}  // namespace

void add_rekey_command(Program& program) {
  Command& command = program.add_command("rekey", tr("Change who can open a sealed file"));
  auto settings = std::make_shared<RekeySettings>();
  command.add_operand("FILE", settings->file, tr("The sealed file, which is changed"))->required();
  settings->secrets.add_to(command, "", SecretOptions::Use::open);
  settings->new_secrets.add_to(command, "new-", SecretOptions::Use::set);
  command.add_flag("--keep", settings->keep, tr("Keep the passphrase or key that opened the file"))
      ->manual(
          "Keep the passphrase or key that opened the file in addition to the new ones. Without new ones "
          "this only writes both copies of the header again, which repairs a damaged one.");
  add_number(command, "--remove", settings->remove, {.min = 1, .max = VSH_SEALED_MAX_RECIPIENTS},
             tr("Remove recipient N of `vershina inspect`, too"))
      ->manual("Remove recipient N of vershina-inspect(1); may be given several times.");
  settings->derivation.add_to(command, tr("a new passphrase"));
  settings->limits.add_to(command);
  settings->engine.add_to(command);
  add_quiet_option(command);
  command.footer(tr(kRekeyExamples));
  command.exit_status({ExitCode::ok,
                       ExitCode::usage,
                       ExitCode::input,
                       ExitCode::output,
                       ExitCode::kernel,
                       ExitCode::wrong_key,
                       {ExitCode::header, tr("damaged or contradictory header")},
                       ExitCode::truncated,
                       ExitCode::version,
                       ExitCode::parameters});
  command.action([=] { RekeyCommand(*settings).run(); });
}

}  // namespace vsh::cli
