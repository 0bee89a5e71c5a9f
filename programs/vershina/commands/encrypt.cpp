// `vershina encrypt` and `vershina decrypt`: the options common to all ciphers, and the choice of the cipher's kind.
#include "programs/vershina/commands/encrypt.hpp"

#include <memory>

#include "programs/common/options/option_values.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/commands.hpp"

namespace vsh::cli {

std::vector<ReadFile> EncryptSettings::sources(const InputFile& file, const std::optional<ReadFile>& key_file) const {
  std::vector<ReadFile> read = {{file.name(), file.status()}};
  if (key_file) read.push_back(*key_file);
  if (iv.source()) read.push_back(*iv.source());
  if (engine.sbox_source()) read.push_back(*engine.sbox_source());
  return read;
}

namespace {

// Throws a Failure for given `options` that the cipher does not have.
void refuse_options(const std::vector<const Option*>& options, const std::string& cipher_name) {
  for (const Option* option : options) {
    if (option->count() == 0) continue;
    throw Failure(ExitCode::usage, tr("{1} has no {2}", cipher_name, option->name()),
                  tr("leave out {1}", option->name()));
  }
}

const CipherKind* const kKinds[] = {&kStandardModes, &kAuthenticatedModes, &kDiskModes};

// The kinds in a command, and the options that belong to only one kind.
class KindOptions {
 public:
  void add_to(Command& command) {
    for (const CipherKind* kind : kKinds) {
      const size_t before = command.options().size();
      Row& row = rows_.emplace_back(Row{kind, kind->add_options(command), {}});
      for (size_t i = before; i < command.options().size(); ++i) row.options.push_back(&command.options()[i]);
    }
  }

  void run(EncryptSettings& settings) const {
    const Row* chosen = nullptr;
    for (const Row& row : rows_) {
      if (row.kind->find(settings)) chosen = &row;
      else refuse_options(row.options, settings.cipher_name);
    }
    chosen->run(settings);
  }

 private:
  struct Row {
    const CipherKind* kind;
    std::function<void(EncryptSettings&)> run;
    std::vector<const Option*> options;
  };
  std::vector<Row> rows_;
};

// Lists all ciphers: those of one algorithm and kind separated by commas, on a line.
std::string list_ciphers() {
  std::string text, last;
  for (const CipherKind* kind : kKinds) {
    for (size_t i = 0; kind->name(i) != nullptr; ++i) {
      const std::string name = kind->name(i);
      const std::string algorithm = name.substr(0, name.find('-'));
      if (!text.empty()) text += i > 0 && algorithm == last ? ", " : "\n         ";
      text += name;
      last = algorithm;
    }
  }
  return text;
}

constexpr const char* kEncryptExamples =
    mark(R"(The output appears under its name only when it is complete. --iv random writes the IV in front of the
ciphertext, or with --iv-out to a file; that of --iv-hex is not stored: keep it with the ciphertext. For MGM,
CTR, CNT, CFB and OFB it must never repeat under one key. With MGM the output ends with the tag; the other
modes do not notice a changed ciphertext: take MGM, or add `vershina mac` with another key, where that
matters.

Examples:
  vershina encrypt -c kuznyechik-mgm --key-file k.bin --iv random plain.txt -o secret.bin
  vershina encrypt -c kuznyechik-ctr --key-file k.bin --iv-hex 1234567890abcef0 plain.txt -o secret.bin
  vershina encrypt -c magma-cbc --padding pkcs7 --key-file k.bin --iv-hex "$IV" plain.txt -o secret.bin
  vershina encrypt -c kuznyechik-mgm --key-file k.bin --iv-hex "$NONCE" --aad-file head plain.txt -o out.bin
  tar c dir | vershina encrypt -c gost28147-cnt --key-file k.bin --iv random > dir.enc)");

constexpr const char* kDecryptExamples =
    mark(R"(The output appears under its name only when it is complete and its padding is right. To standard output
data goes as it comes: where the exit status is not 0, do not use it. With MGM nothing is written
anywhere before the whole input has been verified; what is not a file is copied to a private temporary
file for that (in TMPDIR).

Examples:
  vershina decrypt -c kuznyechik-mgm --key-file k.bin --iv file secret.bin -o plain.txt
  vershina decrypt -c kuznyechik-ctr --key-file k.bin --iv-hex 1234567890abcef0 secret.bin -o plain.txt
  vershina decrypt -c magma-cbc --padding pkcs7 --key-file k.bin --iv-hex "$IV" secret.bin -o plain.txt
  vershina decrypt -c kuznyechik-mgm --key-file k.bin --iv-hex "$NONCE" --aad-file head out.bin -o plain.txt
  vershina decrypt -c gost28147-cnt --key-file k.bin --iv file dir.enc | tar x)");

void add_command(Program& program, vsh_direction direction) {
  const bool encrypts = direction == VSH_ENCRYPT;
  Command& command = program.add_command(
      encrypts ? "encrypt" : "decrypt", encrypts ? tr("Encrypt a file or a stream") : tr("Decrypt a file or a stream"));
  auto settings = std::make_shared<EncryptSettings>();
  auto kinds = std::make_shared<KindOptions>();
  settings->direction = direction;
  auto* input = command.add_operand("IN", settings->input, tr("The file to read (default, and -: standard input)"));
  command.add_option("-o,--output", settings->output, "OUT", tr("The file to write (default, and -: standard output)"));
  add_name(command, "-c,--cipher", settings->cipher_name, {mark("cipher"), cipher_names},
           tr("Cipher and mode; the names are below"), "CIPHER")
      ->manual(
          "One of `kuznyechik-ecb`, `-ctr`, `-ofb`, `-cbc`, `-cfb`; `magma-ecb`, `-ctr`, `-ofb`, `-cbc`, "
          "`-cfb` (GOST R 34.12-2015 and GOST R 34.13-2015); `kuznyechik-ctr-acpkm`, `magma-ctr-acpkm` (RFC "
          "8645 section 6.2.2, R 1323565.1.017-2018); `gost28147-ecb`, `-cnt`, `-cfb`, `-cbc` (GOST "
          "28147-89); `kuznyechik-mgm`, `magma-mgm` (RFC 9058, R 1323565.1.026-2019); "
          "`kuznyechik-ctr-acpkm-omac`, `magma-ctr-acpkm-omac` (authenticated too, as in CMS: R "
          "1323565.1.025-2019); `kuznyechik-xts` (disk images of dm-crypt and VeraCrypt: IEEE 1619).")
      ->required();
  settings->key_options.add_to(command);
  settings->iv.add_to(command, encrypts, tr("8 bytes for kuznyechik-ctr and -ctr-acpkm, 4 for Magma's, else a block"));
  kinds->add_to(command);
  settings->key_changes.add_to(command, tr("4096, for Magma 1024; with OMAC 262144 and 8192"));
  settings->engine.add_to(command);
  command.add_flag("-f,--force", settings->force,
                   tr("Replace an existing output file; write to a block device; write to a terminal"));
  command.add_flag("-q,--quiet", settings->quiet, tr("Print only errors"));
  command.add_flag("--no-progress", settings->no_progress, tr("Show no progress bar"));
  command.footer(tr("Ciphers:") + " " + list_ciphers() + "\n\n" + tr(encrypts ? kEncryptExamples : kDecryptExamples));

  command.exit_status({ExitCode::ok, ExitCode::data, ExitCode::usage, ExitCode::input, ExitCode::output,
                       ExitCode::kernel, ExitCode::device, ExitCode::closed_pipe});
  command.action([=] {
    if (input->count() == 0) settings->input = standard_input();
    settings->iv.check();
    kinds->run(*settings);
  });
}

}  // namespace

std::vector<std::string> cipher_names() {
  std::vector<std::string> all;
  for (const CipherKind* kind : kKinds)
    for (size_t i = 0; kind->name(i) != nullptr; ++i) all.emplace_back(kind->name(i));
  return all;
}

void add_encrypt_commands(Program& program) {
  add_command(program, VSH_ENCRYPT);
  add_command(program, VSH_DECRYPT);
}

}  // namespace vsh::cli
