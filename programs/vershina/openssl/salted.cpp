#include "programs/vershina/openssl/salted.hpp"

#include <algorithm>
#include <climits>
#include <string_view>

#include "programs/common/options/option_values.hpp"
#include "programs/common/system/random.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/openssl/pbkdf2.hpp"

namespace vsh::cli {
namespace {

constexpr std::string_view kMagic = "Salted__";

std::span<const uint8_t> salt_of(const OpensslSalted::Header& header) {
  return std::span(header).subspan(kMagic.size());
}

}  // namespace

void OpensslSalted::add_to(Command& command) {
  command
      .add_flag("--openssl-salted", wanted_,
                tr("The format of `openssl enc -pbkdf2`: key and IV from a passphrase and a salt"))
      ->manual(
          "Not for XTS: the format of `openssl enc -pbkdf2`: `Salted__`, a salt of 8 bytes and the "
          "ciphertext; key and IV are derived from a passphrase by PBKDF2. ECB and CBC are padded as with "
          "`--padding pkcs7`. For new files prefer vershina-seal(1), which detects changes.");
  digest_option_ =
      add_name(command, "--md", digest_, {mark("digest"), openssl_digest_names},
               tr("--openssl-salted: `-md` of openssl enc: md_gost12_512 (default), "
                  "md_gost12_256, sha256 (the default of openssl enc)"),
               "DIGEST")
          ->manual(
              "--openssl-salted: the digest of PBKDF2, as `-md`: `md_gost12_512` (the default: "
              "HMAC-Streebog-512, RFC 9337), `md_gost12_256`, or `sha256`, the default of `openssl enc`. The "
              "file does not name it: a different one than at encryption yields noise.");
  iterations_option_ = add_number(command, "--iterations", iterations_, {.min = 1, .max = INT_MAX},
                                  tr("--openssl-salted: `-iter` of openssl enc (default 10000)"))
                           ->manual("--openssl-salted: iterations of PBKDF2, 10000 by default, as `-iter`.");
  passphrase_.add_to(command);
}

void OpensslSalted::check(const std::string& iv_option, bool key_given) const {
  if (!wanted_) {
    if (!passphrase_.given() && iterations_option_->count() == 0 && digest_option_->count() == 0) return;
    throw Failure(ExitCode::usage, tr("a passphrase, --iterations or --md without --openssl-salted"),
                  tr("give a key with --key-file, or use `vershina seal` to protect a file with a passphrase"));
  }
  if (!iv_option.empty()) {
    throw Failure(ExitCode::usage, tr("--openssl-salted makes the IV from the passphrase"),
                  tr("leave out {1}", iv_option));
  }
  if (key_given) {
    throw Failure(ExitCode::usage, tr("--openssl-salted makes the key from a passphrase"),
                  tr("leave out --key-file and --key-hex"));
  }
}

OpensslSalted::Header OpensslSalted::new_header() const {
  Header header;
  std::copy(kMagic.begin(), kMagic.end(), header.begin());
  fill_random(std::span(header).subspan(kMagic.size()));
  return header;
}

OpensslSalted::Header OpensslSalted::read_header(InputFile& input) const {
  Header header;
  if (input.read_all(header) < header.size() || !std::equal(kMagic.begin(), kMagic.end(), header.begin())) {
    throw Failure(ExitCode::data, tr("{1}: does not begin with Salted__ and a salt", input.name()),
                  tr("is it of `openssl enc` with a passphrase, and binary? For -a see base64(1); for -K leave out "
                     "--openssl-salted"));
  }
  return header;
}

std::optional<ReadFile> OpensslSalted::derive(std::span<uint8_t> key_and_iv, const Header& header, bool twice,
                                              bool stdin_is_taken) const {
  const EchoGuard silence;
  Passphrase passphrase;
  passphrase_.load(passphrase, twice, stdin_is_taken);
  openssl_digest(digest_).pbkdf2(key_and_iv, passphrase.bytes(), salt_of(header), iterations_);
  return passphrase_.source();
}

}  // namespace vsh::cli
