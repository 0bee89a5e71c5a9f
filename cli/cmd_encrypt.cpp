// `vershina encrypt` and `vershina decrypt`: the standard modes as they are, bytes in and bytes out.
#include <array>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "engine_options.hpp"
#include "failure.hpp"
#include "hex.hpp"
#include "key_file.hpp"
#include "library.hpp"
#include "output_file.hpp"
#include "pipeline.hpp"
#include "text.hpp"

namespace vsh::cli {
namespace {

struct CipherSettings {
  vsh_direction direction = VSH_ENCRYPT;
  std::string input, output, cipher_name, iv_hex, padding_name;
  unsigned segment_bits = 0;
  bool iv_given = false;
  bool padding_given = false;
  bool segment_given = false;
  bool force = false;
  bool quiet = false;
  bool no_progress = false;
  KeyOptions key_options;
  EngineOptions engine;
};

class CipherCommand {
 public:
  explicit CipherCommand(CipherSettings& settings) : settings_(settings) {
    if (vsh_cipher_by_name(&algorithm_, &mode_, settings.cipher_name.c_str()) != VSH_OK) {
      throw Failure(ExitCode::usage, "unknown cipher " + quote_name(settings.cipher_name),
                    "choose one of " + list_names(vsh_cipher_name));
    }
    read_iv();
    read_padding();
    if (settings.segment_given) {
      if (settings.segment_bits % 8 != 0) {
        throw Failure(ExitCode::usage, "--segment counts bits, a multiple of 8", "a whole block is the default");
      }
      options_.segment_len = settings.segment_bits / 8;
    }
    settings.engine.apply(options_);
  }

  void run() {
    Key key;
    settings_.key_options.load(key, settings_.input == "-");
    const CipherContext cipher = new_cipher(key);
    InputFile input(settings_.input);
    std::vector<ReadFile> sources = {{input.name(), input.status()}};
    if (key.source) sources.push_back(*key.source);
    if (settings_.engine.sbox_source()) sources.push_back(*settings_.engine.sbox_source());
    const auto content = encrypts() ? OutputFile::Content::binary : OutputFile::Content::any;
    OutputFile output(settings_.output, settings_.force, content, sources);
    CipherOutcome outcome;
    {
      Progress progress(!settings_.quiet && !settings_.no_progress, input.name(), input.remaining_at_open());
      outcome = run_pipeline(input, cipher.get(), output, progress);
      if (outcome.status == VSH_OK) output.commit();
    }
    if (outcome.status != VSH_OK) throw data_failure(outcome, input, output);
  }

 private:
  bool encrypts() const { return settings_.direction == VSH_ENCRYPT; }

  // "16 bytes, or a multiple of that up to 256"
  std::string iv_lengths() const {
    const size_t usual = vsh_iv_len(algorithm_, mode_);
    const bool shift_register = mode_ == VSH_CBC || mode_ == VSH_CFB || mode_ == VSH_OFB;
    if (!shift_register || algorithm_ == VSH_GOST28147) return bytes_of(usual);
    return bytes_of(usual) + " (or a multiple of that, up to " + std::to_string(usual * VSH_MAX_REGISTER) +
           ")";
  }

  Failure iv_failure() const {
    const std::string& name = settings_.cipher_name;
    if (mode_ == VSH_ECB) return Failure(ExitCode::usage, name + " takes no IV", "leave out --iv-hex");
    if (!settings_.iv_given) {
      return Failure(
          ExitCode::usage, name + " needs an IV of " + iv_lengths(),
          encrypts() ? "give a fresh one with --iv-hex" : "give the one of the encryption with --iv-hex");
    }
    return Failure(ExitCode::usage,
                   name + " needs an IV of " + iv_lengths() + ", and --iv-hex has " + bytes_of(iv_.size()),
                   "two hexadecimal digits make a byte");
  }

  void read_iv() {
    if (settings_.iv_given != (mode_ != VSH_ECB)) throw iv_failure();
    if (settings_.iv_hex.size() % 2 != 0) {
      throw Failure(ExitCode::usage, "--iv-hex has an odd number of digits",
                    "two hexadecimal digits make a byte");
    }
    iv_.resize(settings_.iv_hex.size() / 2);
    if (!decode_hex(settings_.iv_hex, iv_)) {
      throw Failure(ExitCode::usage, "--iv-hex has a character that is no hexadecimal digit",
                    "use only 0-9 and a-f");
    }
  }

  void read_padding() {
    if (!settings_.padding_given) return;
    static constexpr std::pair<const char*, vsh_padding> names[] = {
        {"2", VSH_PADDING_2}, {"1", VSH_PADDING_1}, {"pkcs7", VSH_PADDING_PKCS7}, {"none", VSH_PADDING_NONE}};
    for (const auto& [name, padding] : names) {
      if (settings_.padding_name == name) {
        options_.padding = padding;
        return;
      }
    }
    throw Failure(ExitCode::usage, "unknown padding " + quote_name(settings_.padding_name),
                  "choose one of 2, 1, pkcs7, none");
  }

  CipherContext new_cipher(const Key& key) const {
    vsh_cipher* context = nullptr;
    const vsh_status status = vsh_cipher_new(&context, algorithm_, mode_, settings_.direction,
                                             key.secret.bytes, kKeyLen, iv_.data(), iv_.size(), &options_);
    const std::string& name = settings_.cipher_name;
    const std::string block_bits = std::to_string(8 * vsh_block_len(algorithm_));
    switch (status) {
      case VSH_OK: return CipherContext(context);
      case VSH_E_IV_LENGTH: throw iv_failure();
      case VSH_E_SEGMENT:
        if (mode_ != VSH_CTR && mode_ != VSH_CFB && mode_ != VSH_OFB) {
          throw Failure(ExitCode::usage, name + " has no segments", "leave out --segment");
        }
        throw Failure(ExitCode::usage, "--segment counts bits, 8 to " + block_bits + " for " + name);
      case VSH_E_PADDING: throw Failure(ExitCode::usage, name + " pads nothing", "leave out --padding");
      default: throw engine_failure(status, name, options_);
    }
  }

  Failure data_failure(const CipherOutcome& outcome, const InputFile& input, const OutputFile& output) const {
    const std::string block = std::to_string(vsh_block_len(algorithm_));
    const std::string length = bytes_of(outcome.bytes_in);
    const std::string warning =
        output.is_direct() && outcome.bytes_in > 0 ? "; do not use what went to " + output.name() : "";
    switch (outcome.status) {
      case VSH_E_DATA_LENGTH:
        if (encrypts()) {
          return Failure(ExitCode::data,
                         input.name() + ": " + length + ", not a whole number of " + block +
                             "-byte blocks, and no padding",
                         "choose another --padding or another mode" + warning);
        }
        if (outcome.bytes_in == 0) {
          return Failure(ExitCode::data,
                         input.name() + ": ciphertext is empty, but padding makes at least one block",
                         "is it the right file?");
        }
        return Failure(
            ExitCode::data,
            input.name() + ": ciphertext is " + length + ", not a whole number of " + block + "-byte blocks",
            "is it damaged, or encrypted with another mode?" + warning);
      case VSH_E_BAD_PADDING:
        return Failure(
            ExitCode::data, input.name() + ": impossible padding after decryption",
            "is the key, the cipher, --iv-hex or --padding another one, or the file damaged?" + warning);
      case VSH_E_LIMIT:
        return Failure(ExitCode::data,
                       input.name() + ": more data than " + settings_.cipher_name + " allows under one IV",
                       "divide it, with an IV for each part" + warning);
      default: return engine_failure(outcome.status, settings_.cipher_name, options_);
    }
  }

  CipherSettings& settings_;
  vsh_cipher_algorithm algorithm_{};
  vsh_mode mode_{};
  vsh_options options_ = VSH_OPTIONS_INIT;
  std::vector<uint8_t> iv_;
};

constexpr const char* kEncryptExamples =
    R"(The output appears under its name only when it is complete. The IV is not stored: keep it with the
ciphertext. For CTR, CNT, CFB and OFB it must never repeat under one key. None of these modes notices a
changed ciphertext: add `vershina mac`, with another key, where that matters.

Examples:
  vershina encrypt -c kuznyechik-ctr --key-file k.bin --iv-hex 1234567890abcef0 plain.txt -o secret.bin
  vershina encrypt -c magma-cbc --padding pkcs7 --key-file k.bin --iv-hex "$IV" plain.txt -o secret.bin
  tar c dir | vershina encrypt -c gost28147-cnt --key-file k.bin --iv-hex "$IV" - -o - > dir.enc

Exit status: 0, 1 wrong data, 2 usage, 3 input, 4 output, 5 kernel, 141 closed pipe; see vershina(1).)";

constexpr const char* kDecryptExamples =
    R"(The output appears under its name only when it is complete and its padding is right. To standard output
(-o -) data goes as it comes: where the exit status is not 0, do not use it.

Examples:
  vershina decrypt -c kuznyechik-ctr --key-file k.bin --iv-hex 1234567890abcef0 secret.bin -o plain.txt
  vershina decrypt -c magma-cbc --padding pkcs7 --key-file k.bin --iv-hex "$IV" secret.bin -o plain.txt
  vershina decrypt -c gost28147-cnt --key-file k.bin --iv-hex "$IV" dir.enc -o - | tar x

Exit status: 0, 1 wrong data, 2 usage, 3 input, 4 output, 5 kernel, 141 closed pipe; see vershina(1).)";

// One line for each algorithm.
std::string cipher_names() {
  std::string names, algorithm;
  for (size_t i = 0; vsh_cipher_name(i) != nullptr; ++i) {
    const std::string name = vsh_cipher_name(i);
    const std::string next = name.substr(0, name.find('-'));
    if (!algorithm.empty()) names += next == algorithm ? ", " : "\n         ";
    names += name;
    algorithm = next;
  }
  return names;
}

void add_command(CLI::App& app, vsh_direction direction) {
  const bool encrypts = direction == VSH_ENCRYPT;
  auto* command = app.add_subcommand(encrypts ? "encrypt" : "decrypt",
                                     encrypts ? "Encrypt a file or a stream" : "Decrypt a file or a stream");
  auto settings = std::make_shared<CipherSettings>();
  settings->direction = direction;
  command->add_option("IN", settings->input, "The file to read, or - for standard input")
      ->type_name("")
      ->required();
  command->add_option("-o,--output", settings->output, "The file to write, or - for standard output")
      ->type_name("OUT")
      ->required();
  command->add_option("-c,--cipher", settings->cipher_name, "Cipher and mode; the names are below")
      ->type_name("CIPHER")
      ->required();
  settings->key_options.add_to(*command);
  auto* iv = command->add_option("--iv-hex", settings->iv_hex,
                                 "IV: 8 bytes for kuznyechik-ctr, 4 for magma-ctr, else a block");
  iv->type_name("HEX");
  auto* padding =
      command->add_option("--padding", settings->padding_name,
                          "ECB and CBC: 2 (default) or 1, the procedures of GOST R 34.13-2015; pkcs7; none");
  padding->type_name("KIND");
  auto* segment = command->add_option("--segment", settings->segment_bits,
                                      "CTR, CFB and OFB: bits of a segment, a multiple of 8 (default: a block)");
  segment->type_name("BITS")->check(in_range(8, 8 * VSH_MAX_BLOCK_LEN));
  settings->engine.add_to(*command);
  command->add_flag("-f,--force", settings->force,
                    "Replace an existing output file; write to a block device; write to a terminal");
  command->add_flag("-q,--quiet", settings->quiet, "Say nothing but errors");
  command->add_flag("--no-progress", settings->no_progress, "Show no progress bar");
  command->footer("Ciphers: " + cipher_names() + "\n\n" + (encrypts ? kEncryptExamples : kDecryptExamples));

  command->callback([=] {
    settings->input = unmark(settings->input);
    settings->output = unmark(settings->output);
    settings->iv_given = iv->count() > 0;
    settings->padding_given = padding->count() > 0;
    settings->segment_given = segment->count() > 0;
    CipherCommand(*settings).run();
  });
}

}  // namespace

void add_encrypt_commands(CLI::App& app) {
  add_command(app, VSH_ENCRYPT);
  add_command(app, VSH_DECRYPT);
}

}  // namespace vsh::cli
