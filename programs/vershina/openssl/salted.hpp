// The stream of `openssl enc -pbkdf2`: "Salted__", a salt of 8 bytes, the ciphertext; key and IV from a passphrase.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "programs/common/files/input_file.hpp"
#include "programs/common/files/output_file.hpp"
#include "programs/common/options/command.hpp"
#include "programs/common/options/passphrase.hpp"

namespace vsh::cli {

class OpensslSalted {
 public:
  using Header = std::array<uint8_t, 16>;

  void add_to(Command& command);
  bool wanted() const { return wanted_; }

  // Throws Failure if options contradict each other. iv_option: the one that gives an IV, or empty.
  void check(const std::string& iv_option, bool key_given) const;

  Header new_header() const;                   // with a random salt
  Header read_header(InputFile& input) const;  // throws Failure if there is none

  // Derives the key, then the IV, from the passphrase by PBKDF2. Returns the passphrase's file.
  // twice, stdin_is_taken: see PassphraseOptions::load.
  std::optional<ReadFile> derive(std::span<uint8_t> key_and_iv, const Header& header, bool twice,
                                 bool stdin_is_taken) const;

 private:
  bool wanted_ = false;
  uint32_t iterations_ = 10000;  // the default of `openssl enc`
  std::string digest_ = "md_gost12_512";
  PassphraseOptions passphrase_;
  Option* iterations_option_ = nullptr;
  Option* digest_option_ = nullptr;
};

}  // namespace vsh::cli
