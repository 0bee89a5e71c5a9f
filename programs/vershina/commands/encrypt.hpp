// `vershina encrypt` and `decrypt`: the parts shared by all ciphers, and the kinds of ciphers.
#pragma once

#include <vershina/vershina.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "programs/common/files/input_file.hpp"
#include "programs/common/files/output_file.hpp"
#include "programs/common/options/command.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/key_file.hpp"
#include "programs/vershina/options/iv_options.hpp"
#include "programs/vershina/options/key_changes.hpp"

namespace vsh::cli {

struct EncryptSettings {
  vsh_direction direction = VSH_ENCRYPT;
  std::string input, output = "-", cipher_name;
  // What the name means, by the kind of cipher that has it.
  vsh_cipher_algorithm algorithm{};
  vsh_mode mode{};
  vsh_aead_algorithm aead{};
  IvOptions iv;
  bool force = false;
  bool quiet = false;
  bool no_progress = false;
  KeyOptions key_options;
  CipherOptions engine;
  KeyChangeOptions key_changes;

  bool encrypts() const { return direction == VSH_ENCRYPT; }
  // Standard input is the data or the key, and cannot be the IV too.
  bool stdin_is_taken() const { return input == "-" || key_options.takes_stdin(); }
  bool wants_progress() const { return !quiet && !no_progress; }

  // Returns the files that no output may replace: the input, the key file, and the files of the IV and of S-boxes.
  std::vector<ReadFile> sources(const InputFile& input, const std::optional<ReadFile>& key_file) const;
};

// A kind of ciphers: their names, the options that only they have, and the work.
struct CipherKind {
  const char* (*name)(size_t i);          // the i-th cipher; null past the end
  bool (*find)(EncryptSettings& cipher);  // looks its cipher_name up; false: it is of another kind
  // Adds the options, which the command refuses for every other kind. Returns the function that encrypts or decrypts
  // with a cipher_name of this kind and throws Failure.
  std::function<void(EncryptSettings&)> (*add_options)(Command& command);
};

extern const CipherKind kStandardModes;       // ECB, CTR, OFB, CBC, CFB, CNT: vsh_cipher
extern const CipherKind kAuthenticatedModes;  // MGM, CTR-ACPKM with OMAC: vsh_aead
extern const CipherKind kDiskModes;           // XTS: vsh_xts

// All ciphers of `encrypt`, and the values of --padding.
std::vector<std::string> cipher_names();
std::vector<std::string> padding_names();

}  // namespace vsh::cli
