// The cost of a new passphrase of a sealed file: --kdf, --iterations, --argon2-memory and --argon2-passes.
#pragma once

#include <vershina/vershina.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/options/command.hpp"
#include "programs/common/options/secret_options.hpp"

namespace vsh::cli {

struct Derivation {
  uint32_t iterations;                   // of PBKDF2; 0 by argon2id
  std::optional<vsh_argon2id> argon2id;  // or PBKDF2

  const vsh_argon2id* cost() const { return argon2id ? &*argon2id : nullptr; }
};

class DerivationOptions {
 public:
  // which: "a passphrase" or "a new passphrase".
  void add_to(Command& command, const std::string& which);

  // Throws Failure if the options contradict each other or libargon2 is missing; for commands that ask for a passphrase
  // afterwards.
  void check() const;
  // Returns the cost of each passphrase in `added`; measures the iterations if they are not given. Throws Failure if
  // all together take more than may be opened, before any is derived.
  Derivation choose(const std::vector<Secret>& added, const vsh_options& options) const;

 private:
  bool by_argon2id() const { return kdf_ == "argon2id"; }
  vsh_argon2id cost() const;

  std::string kdf_ = "pbkdf2";
  uint32_t iterations_ = 0;  // 0: calibrate
  uint64_t memory_ = 0;      // bytes; 0: the default
  uint32_t passes_ = 0;      // 0: the default
};

// --max-iterations, --max-argon2-memory, --max-argon2-work: what may be spent on trying passphrases. 0 (not given)
// means the library's bound.
struct WorkLimits {
  uint64_t iterations = 0;
  uint64_t argon2_memory = 0, argon2_work = 0;  // bytes

  static WorkLimits none();
  void add_to(Command& command);
  // Sets those of argon2id.
  void apply(vsh_opener* opener) const;
  // Throws Failure if argon2id takes more than that, or if libargon2 is missing and no other passphrase is there; for
  // commands that ask for a passphrase afterwards.
  void check(const vsh_sealed_info& info, const std::string& name) const;
};

// Returns "3 passes of 64 MiB, 4 lanes".
std::string text_of(const vsh_argon2id& cost);
// Returns a number of KiB in the largest unit that divides it: "64 MiB".
std::string kib_of(uint64_t kib);

// The Failure for a missing libargon2. what: "NAME: its passphrase is derived by argon2id".
Failure missing_argon2_failure(const std::string& what);

}  // namespace vsh::cli
