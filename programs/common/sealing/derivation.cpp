#include "programs/common/sealing/derivation.hpp"

#include <algorithm>

#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/sealing/sealed_file.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"

namespace vsh::cli {
namespace {

// RFC 9106 clause 4, the second recommended option.
constexpr vsh_argon2id kDefault = {3, 64 << 10, 4};
constexpr uint64_t kKib = 1024;

NameRule kdf_rule() {
  return {mark("key derivation"), [] { return std::vector<std::string>{"pbkdf2", "argon2id"}; }};
}

// Returns whether a passphrase can be derived by argon2id: tries it at the least cost.
bool has_argon2id() {
  constexpr vsh_argon2id least = {1, 8, 1};
  constexpr uint8_t any = 0;
  vsh_sealer* made = nullptr;
  if (vsh_sealer_new(&made, 0, nullptr) != VSH_OK) return true;  // that failure is reported elsewhere
  const SealerContext sealer(made);
  const vsh_recipient recipient = {VSH_RECIPIENT_PASSPHRASE, &any, 1, 0, nullptr};
  return vsh_sealer_set_argon2id(made, &least) != VSH_OK || vsh_sealer_add_recipient(made, &recipient) != VSH_E_LIBRARY;
}

uint64_t bounded_sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

std::string advice_to_allow(const char* option, uint64_t kib) {
  if (kib > UINT64_MAX / kKib) return tr("do not trust its maker");
  std::string size = kib_of(kib);
  size.erase(std::remove(size.begin(), size.end(), ' '), size.end());
  return tr("if you trust its maker, give {1}", std::string(option) + " " + size);
}

}  // namespace

void DerivationOptions::add_to(Command& command, const std::string& which) {
  add_name(command, "--kdf", kdf_, kdf_rule(),
           tr("How the key is derived from {1}: pbkdf2 (default), or argon2id, which takes memory", which), "NAME")
      ->manual(
          "How the key is derived from a passphrase: `pbkdf2`, the default and the function of the Russian "
          "standards, or `argon2id` (RFC 9106), for which each guess takes memory. Argon2id needs libargon2, "
          "which is loaded when it is used, also to open the file, and an earlier vershina refuses such a "
          "file. It reads memory at addresses that depend on the passphrase.");
  add_number(command, "--iterations", iterations_, kSealedIterations,
             tr("Iterations of PBKDF2 for {1} (default: calibrated to 0.5 s, at least 100000)", which))
      ->manual(
          "Iterations of PBKDF2 with HMAC-Streebog-512 for each passphrase, at least 1000. By default "
          "calibrated to half a second of processor time on this machine, but no fewer than 100000 and no "
          "more than 4000000.");
  add_number(command, "--argon2-memory", memory_,
             {.min = kDefault.lanes * 8 * kKib,
              .max = VSH_SEALED_MAX_ARGON2ID_MEMORY * kKib,
              .is_size = true,
              .multiple_of = kKib},
             tr("Memory of argon2id for {1} (default: 64M)", which), "SIZE")
      ->manual("Memory that argon2id takes for each passphrase, 32K to 1G. The default is 64M.");
  add_number(command, "--argon2-passes", passes_, {.min = 1, .max = VSH_SEALED_MAX_ARGON2ID_WORK},
             tr("Passes of argon2id over that memory (default: 3)"))
      ->manual(
          "Passes of argon2id over that memory. The default is 3. Memory times passes of all passphrases "
          "together may be 16G.");
}

vsh_argon2id DerivationOptions::cost() const {
  vsh_argon2id cost = kDefault;
  if (passes_ != 0) cost.passes = passes_;
  if (memory_ != 0) cost.memory = static_cast<uint32_t>(memory_ / kKib);
  return cost;
}

void DerivationOptions::check() const {
  if (!by_argon2id() && (memory_ != 0 || passes_ != 0)) {
    throw Failure(ExitCode::usage, tr("--argon2-memory and --argon2-passes are for argon2id"),
                  tr("add --kdf argon2id"));
  }
  if (!by_argon2id()) return;
  if (iterations_ != 0) {
    throw Failure(ExitCode::usage, tr("--iterations is for PBKDF2, and --kdf is argon2id"),
                  tr("give --argon2-passes and --argon2-memory instead"));
  }
  if (!has_argon2id()) throw missing_argon2_failure("--kdf argon2id");
}

Derivation DerivationOptions::choose(const std::vector<Secret>& added, const vsh_options& options) const {
  if (!by_argon2id()) return {iterations_for(added, iterations_, options), {}};
  const vsh_argon2id each = cost();
  const auto num = static_cast<uint64_t>(
      std::count_if(added.begin(), added.end(), [](const Secret& s) { return s.passphrase != nullptr; }));
  if (num * each.passes * each.memory > VSH_SEALED_MAX_ARGON2ID_WORK) {
    throw Failure(ExitCode::usage, tr("too much work of argon2id for all passphrases together"),
                  tr("memory times passes may be 16 GiB in all: give less of --argon2-memory or --argon2-passes"));
  }
  return {0, each};
}

WorkLimits WorkLimits::none() { return {UINT64_MAX, UINT64_MAX, UINT64_MAX}; }

void WorkLimits::add_to(Command& command) {
  add_number(command, "--max-iterations", iterations, {.min = 1},
             tr("Try passphrases that take up to N iterations of PBKDF2 in all (default: 67108864)"))
      ->manual("Open a header whose passphrases take up to N iterations of PBKDF2 in all. The default is 67108864.");
  add_number(command, "--max-argon2-memory", argon2_memory, {.min = kKib, .is_size = true},
             tr("Try passphrases by argon2id that take up to that memory each (default: 1G)"), "SIZE");
  add_number(command, "--max-argon2-work", argon2_work, {.min = kKib, .is_size = true},
             tr("Try passphrases by argon2id up to that sum of memory times passes (default: 16G)"), "SIZE")
      ->manual(
          "Try passphrases by argon2id up to this sum of memory times passes over all of them. The default "
          "is 16G.");
}

void WorkLimits::apply(vsh_opener* opener) const {
  (void)vsh_opener_limit_argon2id(opener, argon2_memory / kKib, argon2_work / kKib);
}

void WorkLimits::check(const vsh_sealed_info& info, const std::string& name) const {
  uint64_t memory = 0, work = 0;
  bool has_pbkdf2 = false;
  for (size_t i = 0; i < info.num_recipients; ++i) {
    const vsh_argon2id& cost = info.argon2id[i];
    memory = std::max<uint64_t>(memory, cost.memory);
    work = bounded_sum(work, uint64_t{cost.passes} * cost.memory);
    has_pbkdf2 = has_pbkdf2 || info.recipients[i].iterations != 0;
  }
  if (work == 0) return;
  const uint64_t max_memory = argon2_memory ? argon2_memory / kKib : VSH_SEALED_MAX_ARGON2ID_MEMORY;
  const uint64_t max_work = argon2_work ? argon2_work / kKib : VSH_SEALED_MAX_ARGON2ID_WORK;
  if (memory > max_memory) {
    throw Failure(ExitCode::parameters,
                  tr("{1}: a passphrase takes {2} of memory by argon2id, and {3} are allowed", name, kib_of(memory),
                     kib_of(max_memory)),
                  advice_to_allow("--max-argon2-memory", memory));
  }
  if (work > max_work) {
    throw Failure(ExitCode::parameters,
                  tr("{1}: its passphrases take {2} of memory times passes by argon2id, and {3} are allowed", name,
                     kib_of(work), kib_of(max_work)),
                  advice_to_allow("--max-argon2-work", work));
  }
  if (!has_pbkdf2 && !has_argon2id())
    throw missing_argon2_failure(tr("{1}: its passphrase is derived by argon2id", name));
}

std::string text_of(const vsh_argon2id& cost) {
  return tr_count(cost.passes, "{1} pass of {2}, {3}", "{1} passes of {2}, {3}", kib_of(cost.memory),
                  tr_count(cost.lanes, "{1} lane", "{1} lanes"));
}

std::string kib_of(uint64_t kib) {
  if (kib == UINT64_MAX) return tr("2^64 KiB or more");
  static constexpr const char* units[] = {" KiB", " MiB", " GiB", " TiB"};
  size_t unit = 0;
  for (; unit + 1 < std::size(units) && kib != 0 && kib % 1024 == 0; ++unit) kib /= 1024;
  return std::to_string(kib) + units[unit];
}

Failure missing_argon2_failure(const std::string& what) {
  return Failure(ExitCode::internal, tr("{1}: libargon2.so.1 was not found, or does not work", what),
                 tr("install the package libargon2-1"));
}

}  // namespace vsh::cli
