// `vershina wrap` and `vershina unwrap`: keys encrypted under other keys.
#include <memory>

#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/key_file.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/secret_file_mode.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/commands.hpp"
#include "programs/vershina/options/variable_key_file.hpp"

namespace vsh::cli {
namespace {

constexpr size_t kMaxKeyFile = 1 << 20;  // bytes: a key, not a disk image

struct WrapSettings {
  bool wraps = true;
  std::string algorithm_name, input, output, kek_file;
  std::vector<uint8_t> iv;
  bool hex = false;
  bool force = false;
  CipherOptions engine;
};

class WrapCommand {
 public:
  explicit WrapCommand(WrapSettings& settings) : settings_(settings) {
    (void)vsh_wrap_by_name(&algorithm_, settings.algorithm_name.c_str());
    read_iv();
    settings.engine.apply(options_);
  }

  void run() {
    if (settings_.kek_file == "-" && settings_.input == "-") {
      throw Failure(ExitCode::usage, tr("--kek-file -: standard input is read as the key already"),
                    tr("give one in a file"));
    }
    const SecretBuffer kek = load_kek();
    SecretFile input = read_secret_file(settings_.input, kMaxKeyFile);
    sources_.push_back(input.source);
    if (settings_.wraps) warn_of_readers(settings_.input, input.source, SecretKind::key);
    if (settings_.engine.sbox_source()) sources_.push_back(*settings_.engine.sbox_source());
    if (settings_.wraps && settings_.hex) decode(input);

    SecretBuffer result(input.content.bytes().size() + kMaxOverhead);
    size_t len = 0;
    const auto function = settings_.wraps ? vsh_wrap : vsh_unwrap;
    const std::span in = input.content.bytes();
    const vsh_status status = function(result.data(), result.size(), &len, algorithm_, kek.bytes().data(),
                                       kek.bytes().size(), iv_.data(), iv_.size(), in.data(), in.size(), &options_);
    if (status != VSH_OK) throw failure(status, input);
    result.shorten(len);

    OutputFile output(settings_.output, settings_.force, OutputFile::Content::binary, sources_);
    if (!settings_.wraps) output.keep_private();
    if (!settings_.wraps && settings_.hex) {
      output.write(encode_secret_hex(result.bytes()).bytes());
    } else {
      output.write(result.bytes());
    }
    output.commit();
  }

 private:
  static constexpr size_t kMaxOverhead = 20;  // bytes: a seed of 16 and 4 of IMIT

  bool carries_iv() const { return algorithm_ != VSH_KEXP15_KUZNYECHIK && algorithm_ != VSH_KEXP15_MAGMA; }

  std::string iv_lengths() const {
    const std::string usual = bytes_of(vsh_wrap_iv_len(algorithm_));
    return algorithm_ == VSH_WRAP_RFC7836 ? tr("8 to 16 bytes") : usual;
  }

  Failure wrong_iv() const {
    return iv_option_failure(
        tr("{1} needs an IV of {2}", settings_.algorithm_name, iv_lengths()), settings_.iv,
        settings_.wraps ? tr("give a fresh one with --iv-hex") : tr("give the one of the wrapping with --iv-hex"));
  }

  void read_iv() {
    if (settings_.iv.empty()) {
      if (!settings_.wraps && carries_iv()) return;
      throw wrong_iv();
    }
    iv_ = settings_.iv;
  }

  static void decode(SecretFile& file) {
    auto decoded = decode_secret_hex(file);
    if (!decoded) {
      throw Failure(ExitCode::usage, tr("{1}: not a whole number of bytes in hexadecimal digits", file.name),
                    tr("digits 0-9 and a-f, two for each byte, and at most one newline"));
    }
    file.content = std::move(*decoded);
  }

  // Reads it raw or in hexadecimal digits, depending on the length.
  SecretBuffer load_kek() {
    const size_t len = vsh_wrap_kek_len(algorithm_);
    SecretFile file = read_secret_file(settings_.kek_file, 2 * len + 1 + kKeyTextMargin);
    sources_.push_back(file.source);
    warn_of_readers(settings_.kek_file, file.source, SecretKind::key);
    const size_t got = file.content.bytes().size();
    if (got == len) return std::move(file.content);
    if (auto decoded = decode_secret_hex(file); decoded && decoded->size() == len) return std::move(*decoded);
    const std::span content = file.content.bytes();
    const std::string problem = digits_problem({reinterpret_cast<const char*>(content.data()), got});
    if (!problem.empty())
      throw Failure(ExitCode::usage, file.name + ": " + tr("the key {1}", problem),
                    tr("write digits, and behind them at most one newline"));
    throw Failure(ExitCode::usage,
                  tr("{1}: the key encryption key of {2} is {3} or {4}, not {5}", file.name, settings_.algorithm_name,
                     bytes_of(len), digits_of(2 * len), bytes_of(got)),
                  len == 64 ? tr("K_Exp_MAC, then K_Exp_ENC") : tr("this may be the wrong file"));
  }

  Failure failure(vsh_status status, const SecretFile& input) const {
    const std::string& name = settings_.algorithm_name;
    switch (status) {
      case VSH_E_IV_LENGTH: return wrong_iv();
      case VSH_E_DATA_LENGTH: {
        const std::string lengths = !carries_iv()                    ? tr("one byte at least")
                                    : algorithm_ == VSH_WRAP_RFC7836 ? tr("32 or 64 bytes")
                                                                     : bytes_of(32);
        const std::string size = bytes_of(input.content.bytes().size());
        return Failure(ExitCode::data,
                       settings_.wraps ? tr("{1}: a key of {2}", input.name, size)
                                       : tr("{1}: a wrapped key of impossible length, {2}", input.name, size),
                       tr("{1} wraps a key of {2}", name, lengths));
      }
      case VSH_E_TAG:
        return Failure(ExitCode::data, tr("{1}: the check value is wrong", input.name),
                       tr("wrong key encryption key, --iv-hex, algorithm or --sbox, or the file is damaged"));
      case VSH_E_ARGUMENT:  // the other causes are excluded above
        return Failure(ExitCode::usage, tr("the two halves of the key encryption key are equal"),
                       tr("K_Exp_MAC and K_Exp_ENC must be independent keys"));
      default: return engine_failure(status, name, options_);
    }
  }

  WrapSettings& settings_;
  vsh_wrap_algorithm algorithm_{};
  vsh_options options_ = VSH_OPTIONS_INIT;
  std::vector<uint8_t> iv_;
  std::vector<ReadFile> sources_;
};

constexpr const char* kWrapExamples = mark(
    R"(IN is the key as it is, or hexadecimal digits with --hex. KExp15 takes keys of any length and does not
store the IV: keep it with the wrapped key. The others store it, and take keys of GOST 28147-89 (rfc7836: 64
bytes too).
An IV must never be used twice under one key encryption key.

Examples:
  vershina wrap -a kexp15-kuznyechik --kek-file kek.bin --iv-hex "$IV" key.bin -o key.wrapped
  vershina wrap -a cryptopro --sbox cryptopro-a --kek-file kek.bin --iv-hex "$UKM" key.bin -o key.wrapped)");

constexpr const char* kUnwrapExamples = mark(
    R"(OUT appears only when the check value is right, and only its owner may read it.

Examples:
  vershina unwrap -a kexp15-kuznyechik --kek-file kek.bin --iv-hex "$IV" key.wrapped -o key.bin
  vershina unwrap -a cryptopro --sbox cryptopro-a --kek-file kek.bin key.wrapped -o key.bin)");

void add_command(Program& program, bool wraps) {
  Command& command = program.add_command(
      wraps ? "wrap" : "unwrap", wraps ? tr("Encrypt a key under another key") : tr("Check and decrypt a wrapped key"));
  auto settings = std::make_shared<WrapSettings>();
  settings->wraps = wraps;
  command
      .add_operand("IN", settings->input,
                   wraps ? tr("The key, or - for standard input") : tr("The wrapped key, or - for standard input"))
      ->required();
  command.add_option("-o,--output", settings->output, "OUT", tr("The file to write, or - for standard output"))
      ->required();
  add_name(command, "-a,--algorithm", settings->algorithm_name, one_of(mark("key wrap"), vsh_wrap_name),
           list_names(vsh_wrap_name), "NAME")
      ->manual(
          "One of:\n"
          "- `kexp15-kuznyechik`, `kexp15-magma`: KExp15 and KImp15 of R 1323565.1.017-2018 (RFC 9189, "
          "8.2.1), for keys of any length up to 1 MiB. CMS and TLS 1.2 with the ciphers of 2015 wrap keys "
          "this way.\n"
          "- `gost28147`: RFC 4357, 6.1 (KExp28147 of RFC 9189), for keys of 32 bytes. Each key needs its "
          "own key encryption key.\n"
          "- `cryptopro`: RFC 4357, 6.3 to 6.5: the same under a key encryption key that is diversified by "
          "the UKM.\n"
          "- `rfc7836`: RFC 7836, 4.6, for keys of 32 or 64 bytes.\n"
          "The last three check with an IMIT of 4 bytes, which accepts one forgery in 2^32: for new designs "
          "use KExp15.")
      ->required();
  command
      .add_option("--kek-file", settings->kek_file, "FILE",
                  tr("Key encryption key: 32 bytes, or for KExp15 64 (K_Exp_MAC, K_Exp_ENC); or hexadecimal digits"))
      ->manual(
          "The key encryption key: 32 bytes, or for KExp15 64, which are K_Exp_MAC and K_Exp_ENC, two "
          "independent keys. Or twice as many hexadecimal digits with at most one newline. `-` is standard "
          "input, unless that is IN.")
      ->required();
  add_hex(command, "--iv-hex,--ukm-hex", settings->iv,
          tr("IV: 8 bytes, kexp15-magma 4; UKM: 8; seed of rfc7836: 8 to 16"))
      ->manual(
          "The IV of KExp15: 8 bytes, with Magma 4. The UKM of `gost28147` and `cryptopro`: 8 bytes; the seed of "
          "`rfc7836`: 8 to 16. It must never be used twice under one key encryption key. KExp15 does not store it: "
          "keep it with the wrapped key. The others put it in front of the wrapped key, and `unwrap` needs it only "
          "to check that it is the same.");
  command
      .add_flag("--hex", settings->hex,
                wraps ? tr("IN is hexadecimal digits") : tr("Write the key as hexadecimal digits"))
      ->manual("The key, but not the wrapped key, is hexadecimal digits instead of bytes.");
  settings->engine.add_to(command);
  command.add_flag("-f,--force", settings->force, tr("Replace an existing output file; write to a terminal"));
  add_quiet_option(command);
  command.footer(tr(wraps ? kWrapExamples : kUnwrapExamples));

  command.exit_status({ExitCode::ok,
                       {ExitCode::data, tr("wrong check value, or impossible length of the key")},
                       ExitCode::usage,
                       ExitCode::input,
                       ExitCode::output,
                       ExitCode::kernel,
                       ExitCode::device});
  command.action([=] { WrapCommand(*settings).run(); });
}

}  // namespace

void add_wrap_commands(Program& program) {
  add_command(program, true);
  add_command(program, false);
}

}  // namespace vsh::cli
