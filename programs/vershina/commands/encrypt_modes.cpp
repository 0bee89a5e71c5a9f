// The standard modes as they are, bytes in and bytes out.
#include <algorithm>
#include <array>
#include <memory>

#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/contexts.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/encrypt.hpp"
#include "programs/vershina/files/pipeline.hpp"
#include "programs/vershina/openssl/salted.hpp"

namespace vsh::cli {
namespace {

constexpr std::pair<const char*, vsh_padding> kPaddings[] = {
    {"2", VSH_PADDING_2}, {"1", VSH_PADDING_1}, {"pkcs7", VSH_PADDING_PKCS7}, {"none", VSH_PADDING_NONE}};

struct ModeOptions {
  std::string padding_name;
  unsigned segment_bits = 0;
};

class ModeCommand {
 public:
  ModeCommand(EncryptSettings& settings, const ModeOptions& of_mode, const OpensslSalted& salted)
      : settings_(settings), salted_(salted), algorithm_(settings.algorithm), mode_(settings.mode) {
    salted_.check(settings.iv.option(), settings.key_options.given());
    if (!salted_.wanted()) {
      if (settings_.iv.given() != (mode_ != VSH_ECB)) throw iv_failure();
    } else if (mode_ == VSH_ECB || mode_ == VSH_CBC) {
      options_.padding = VSH_PADDING_PKCS7;  // as `openssl enc` does
    }
    for (const auto& [name, padding] : kPaddings)
      if (of_mode.padding_name == name) options_.padding = padding;
    options_.segment_len = of_mode.segment_bits / 8;
    settings.key_changes.apply(options_);
    settings.engine.apply(options_);
  }

  void run() {
    Key key;
    if (salted_.wanted()) return run_salted(key);
    settings_.key_options.load(key, settings_.input == "-");
    CipherContext cipher;
    if (!settings_.iv.is_in_input()) {
      load_iv();
      cipher = new_cipher(key);
    }
    InputFile input(settings_.input);
    if (settings_.iv.is_in_input()) {
      iv_ = settings_.iv.read_from(input, vsh_iv_len(algorithm_, mode_));
      cipher = new_cipher(key);
    }
    run(key, cipher, input, {});
  }

 private:
  void load_iv() {
    const size_t len = vsh_iv_len(algorithm_, mode_);
    iv_ = settings_.iv.load(len, settings_.stdin_is_taken());
    if (settings_.iv.is_random() && len < 8) {
      print_note(
          tr("{1}: random IVs of 4 bytes soon repeat: encrypt at most 90 files under one key", settings_.cipher_name));
    }
  }

  // The salt is at the beginning of the file; the cipher's key and IV are derived with it.
  void run_salted(Key& key) {
    InputFile input(settings_.input);
    check_output_name(settings_.output, settings_.force, content());
    const OpensslSalted::Header header = settings_.encrypts() ? salted_.new_header() : salted_.read_header(input);
    SecretBytes<kKeyLen + VSH_MAX_BLOCK_LEN> derived;
    const size_t iv_len = vsh_iv_len(algorithm_, mode_);
    key.source = salted_.derive(std::span(derived.bytes).first(kKeyLen + iv_len), header, settings_.encrypts(),
                                settings_.input == "-");
    std::copy_n(derived.bytes, kKeyLen, key.secret.bytes);
    iv_.assign(derived.bytes + kKeyLen, derived.bytes + kKeyLen + iv_len);
    run(key, new_cipher(key), input, std::span(header).first(settings_.encrypts() ? header.size() : 0));
  }

  // begin: written before the ciphertext.
  void run(const Key& key, const CipherContext& cipher, InputFile& input, std::span<const uint8_t> begin) {
    const std::vector<ReadFile> sources = settings_.sources(input, key.source);
    OutputFile output(settings_.output, settings_.force, content(), sources);
    output.take_after(input, !settings_.encrypts());
    IvOutput with_iv(settings_.iv, iv_, output, settings_.force, sources);
    CipherOutcome outcome;
    if (!begin.empty()) output.write(begin);
    {
      Progress progress(settings_.wants_progress(), input.name(), input.remaining_at_open());
      const auto step = [&](std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) {
        return in.empty() ? vsh_cipher_final(cipher.get(), out.data(), out.size(), &len)
                          : vsh_cipher_update(cipher.get(), out.data(), out.size(), &len, in.data(), in.size());
      };
      outcome = run_pipeline(input, step, output, progress, pieces_for(options_.device, input));
      if (outcome.status == VSH_OK) with_iv.commit();
    }
    if (outcome.status != VSH_OK) throw data_failure(outcome, input, output);
  }

  Content content() const { return settings_.encrypts() ? Content::binary : Content::any; }

  // "16 bytes, or a multiple of that up to 256"
  std::string iv_lengths() const {
    const size_t usual = vsh_iv_len(algorithm_, mode_);
    const bool shift_register = mode_ == VSH_CBC || mode_ == VSH_CFB || mode_ == VSH_OFB;
    if (!shift_register || algorithm_ == VSH_GOST28147) return bytes_of(usual);
    return tr("{1} (or a multiple of that, up to {2})", bytes_of(usual), usual * VSH_MAX_REGISTER);
  }

  Failure iv_failure() const {
    const std::string& name = settings_.cipher_name;
    if (mode_ == VSH_ECB)
      return Failure(ExitCode::usage, tr("{1} takes no IV", name), tr("leave out {1}", settings_.iv.option()));
    return settings_.iv.failure(tr("{1} needs an IV of {2}", name, iv_lengths()), iv_.size(), settings_.encrypts());
  }

  CipherContext new_cipher(const Key& key) const {
    vsh_cipher* context = nullptr;
    const vsh_status status = vsh_cipher_new(&context, algorithm_, mode_, settings_.direction, key.secret.bytes,
                                             kKeyLen, iv_.data(), iv_.size(), &options_);
    const std::string& name = settings_.cipher_name;
    const std::string block_bits = std::to_string(8 * vsh_block_len(algorithm_));
    switch (status) {
      case VSH_OK: return CipherContext(context);
      case VSH_E_IV_LENGTH: throw iv_failure();
      case VSH_E_SEGMENT:
        if (options_.key_meshing != VSH_MESHING_NONE && mode_ == VSH_CFB) {
          throw Failure(ExitCode::usage, tr("{1} with key meshing has segments of a block", name),
                        tr("leave out --segment"));
        }
        if (mode_ != VSH_CTR && mode_ != VSH_CTR_ACPKM && mode_ != VSH_CFB && mode_ != VSH_OFB) {
          throw Failure(ExitCode::usage, tr("{1} has no segments", name), tr("leave out --segment"));
        }
        throw Failure(ExitCode::usage, tr("--segment counts bits, 8 to {1} for {2}", block_bits, name));
      case VSH_E_SECTION: throw section_failure(name, vsh_block_len(algorithm_), options_);
      case VSH_E_PADDING: throw Failure(ExitCode::usage, tr("{1} pads nothing", name), tr("leave out --padding"));
      default: throw engine_failure(status, name, options_);
    }
  }

  Failure data_failure(const CipherOutcome& outcome, const InputFile& input, const OutputFile& output) const {
    const std::string block = std::to_string(vsh_block_len(algorithm_));
    const std::string length = bytes_of(outcome.bytes_in);
    const std::string warning =
        output.is_direct() && outcome.bytes_out > 0 ? "; " + tr("do not use what went to {1}", output.name()) : "";
    switch (outcome.status) {
      case VSH_E_DATA_LENGTH:
        if (settings_.encrypts()) {
          return Failure(
              ExitCode::data,
              tr("{1}: {2}, not a whole number of {3}-byte blocks, and no padding", input.name(), length, block),
              tr("choose another --padding or another mode") + warning);
        }
        if (outcome.bytes_in == 0) {
          return Failure(ExitCode::data,
                         tr("{1}: ciphertext is empty, but padding makes at least one block", input.name()),
                         tr("this may be the wrong file"));
        }
        return Failure(ExitCode::data,
                       tr("{1}: ciphertext is {2}, not a whole number of {3}-byte blocks", input.name(), length, block),
                       tr("the file is damaged, or was encrypted in another mode") + warning);
      case VSH_E_BAD_PADDING:
        return Failure(ExitCode::data, tr("{1}: impossible padding after decryption", input.name()),
                       tr("wrong key, cipher, IV or --padding, or the file is damaged") + warning);
      case VSH_E_LIMIT:
        return Failure(ExitCode::data,
                       tr("{1}: more data than {2} allows under one IV", input.name(), settings_.cipher_name),
                       tr("divide it, with an IV for each part") + warning);
      default: return engine_failure(outcome.status, settings_.cipher_name, options_);
    }
  }

  EncryptSettings& settings_;
  const OpensslSalted& salted_;
  const vsh_cipher_algorithm algorithm_;
  const vsh_mode mode_;
  vsh_options options_ = VSH_OPTIONS_INIT;
  std::vector<uint8_t> iv_;
};

std::function<void(EncryptSettings&)> add_mode_options(Command& command) {
  struct Options {
    ModeOptions mode;
    OpensslSalted salted;
  };
  const auto options = std::make_shared<Options>();
  add_name(command, "--padding", options->mode.padding_name, {mark("padding"), padding_names},
           tr("ECB and CBC: 2 (default) or 1, the procedures of GOST R 34.13-2015; pkcs7; none"), "PADDING")
      ->manual(
          "For ECB and CBC: `2` (the default: procedure 2 of GOST R 34.13-2015, one bit 1 and then zeros), "
          "`1` (procedure 1, zeros; decryption removes nothing), `pkcs7` (as in `openssl enc`), `none` (the "
          "data must be whole blocks).");
  add_number(command, "--segment", options->mode.segment_bits,
             {.min = 8, .max = 8 * VSH_MAX_BLOCK_LEN, .multiple_of = 8},
             tr("CTR, CTR-ACPKM, CFB and OFB: bits of a segment, a multiple of 8 (default: a block)"), "BITS")
      ->manual(
          "For CTR, CFB and OFB: the segment S of the standard in bits, a multiple of 8, at most a block, "
          "which is the default.");
  options->salted.add_to(command);
  return [options](EncryptSettings& settings) { ModeCommand(settings, options->mode, options->salted).run(); };
}

bool find_mode(EncryptSettings& s) {
  return vsh_cipher_by_name(&s.algorithm, &s.mode, s.cipher_name.c_str()) == VSH_OK;
}

}  // namespace

std::vector<std::string> padding_names() {
  std::vector<std::string> names;
  for (const auto& row : kPaddings) names.emplace_back(row.first);
  return names;
}

const CipherKind kStandardModes = {vsh_cipher_name, find_mode, add_mode_options};

}  // namespace vsh::cli
