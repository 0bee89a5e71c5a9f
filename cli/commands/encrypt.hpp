// `vershina encrypt` and `decrypt`: what all ciphers share, and the kinds of ciphers that there are.
#pragma once

#include <vershina/vershina.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/options/command.hpp"
#include "cli/options/engine_options.hpp"
#include "cli/files/input_file.hpp"
#include "cli/options/key_changes.hpp"
#include "cli/options/key_file.hpp"
#include "cli/files/output_file.hpp"

namespace vsh::cli {

struct EncryptSettings {
  vsh_direction direction = VSH_ENCRYPT;
  std::string input, output, cipher_name;
  std::vector<uint8_t> iv;
  bool iv_given = false;
  bool force = false;
  bool quiet = false;
  bool no_progress = false;
  KeyOptions key_options;
  EngineOptions engine;
  KeyChangeOptions key_changes;

  bool encrypts() const { return direction == VSH_ENCRYPT; }
  bool wants_progress() const { return !quiet && !no_progress; }

  // What no output may replace: the input, the key file, and the file of S-boxes.
  std::vector<ReadFile> sources(const InputFile& input, const std::optional<ReadFile>& key_file) const;
};

// Ciphers that are used in one way: their names, the options that they alone have, and the work.
class CipherKind {
 public:
  virtual ~CipherKind() = default;
  virtual const char* name(size_t i) const = 0;       // the i-th cipher; null past the end
  virtual void add_options(Command& command) = 0;    // refused by the command for every other kind
  virtual void run(EncryptSettings& settings) = 0;    // for a cipher_name of this kind. Throws Failure
};

// All ciphers that `encrypt` takes, and what it takes for --padding.
std::vector<std::string> cipher_names();
std::vector<std::string> padding_names();

std::unique_ptr<CipherKind> standard_modes();       // ECB, CTR, OFB, CBC, CFB, CNT: vsh_cipher
std::unique_ptr<CipherKind> authenticated_modes();  // MGM, CTR-ACPKM with OMAC: vsh_aead
std::unique_ptr<CipherKind> disk_modes();           // XTS and DEC: vsh_xts, vsh_dec_experimental

}  // namespace vsh::cli
