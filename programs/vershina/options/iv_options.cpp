#include "programs/vershina/options/iv_options.hpp"

#include <vershina/vershina.h>

#include "programs/common/options/option_values.hpp"
#include "programs/common/system/random.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"

namespace vsh::cli {
namespace {

// The longest IV of any cipher: a register of OFB, CBC and CFB.
constexpr size_t kMaxIv = VSH_MAX_REGISTER * VSH_MAX_BLOCK_LEN;

// --iv takes one word in each direction.
std::string read_word(const std::string& text, bool encrypts) {
  const std::string word = lower_case(text), wanted = encrypts ? "random" : "file";
  if (word == wanted) return wanted;
  if (word == "file")
    throw Failure(ExitCode::usage, tr("--iv file reads the IV in front of a ciphertext, for decryption"),
                  tr("take --iv random, which writes one there"));
  if (word == "random")
    throw Failure(ExitCode::usage, tr("--iv random makes a new IV, for encryption"),
                  tr("take --iv file, which reads the one in front of the ciphertext, or --iv-in FILE"));
  if (hex_problem(text).empty())
    throw Failure(ExitCode::usage, tr("--iv takes the word {1}, not digits", wanted), tr("give digits with --iv-hex"));
  throw Failure(ExitCode::usage, tr("--iv takes the word {1}, not {2}", wanted, quote_name(text)),
                encrypts ? tr("it writes a random IV in front of the ciphertext")
                         : tr("it reads the IV in front of the ciphertext; for another file see --iv-in"));
}

}  // namespace

void IvOptions::add_to(Command& command, bool encrypts, const std::string& lengths) {
  add_hex(command, "--iv-hex", hex_, tr("IV or nonce: {1}", lengths))
      ->manual(
          "The IV: 8 bytes for `kuznyechik-ctr`, 4 for `magma-ctr`, none for ECB, else a block (16 bytes for "
          "Kuznyechik, 8 for the others). OFB, CBC and CFB of Kuznyechik and Magma also take a multiple of "
          "the block, up to 16 blocks: the register of M bits of GOST R 34.13-2015. There is no default. For "
          "MGM it is the nonce, a block whose first bit is 0: the first digit is one of 0 to 7. For "
          "`ctr-acpkm-omac` it is the UKM of CMS: the IV of `ctr-acpkm`, then 8 bytes of seed.");
  const auto take = [this, encrypts](const Texts& texts) { word_ = read_word(texts.back(), encrypts); };
  const auto words = [encrypts] { return Texts{encrypts ? "random" : "file"}; };
  Option* const word =
      command
          .add_option("--iv", encrypts ? "random" : "file",
                      encrypts ? tr("A random IV, written in front of the ciphertext")
                               : tr("The IV is the beginning of IN, as --iv random writes it"),
                      false, take)
          ->manual(
              "`encrypt` takes the word `random`: a random IV of the length above (a block for OFB, CBC and "
              "CFB), written in front of the ciphertext; for MGM its first bit is 0. Not for ECB, nor for XTS, "
              "which numbers its sectors. IVs of 4 bytes (`magma-ctr`, `magma-ctr-acpkm`) soon repeat: a note "
              "says so. `decrypt` takes the word `file`: the IV is the beginning of IN, as `--iv random` writes "
              "it.")
          ->offers(words);
  if (encrypts) {
    command.add_option("--iv-out", out_, "FILE", tr("Write the random IV to this file instead, as bytes"))
        ->manual(
            "With `--iv random`: write the IV to this file, as bytes, and only the ciphertext to OUT. Both "
            "files appear together, that of the IV first.")
        ->needs(word);
  } else {
    command.add_option("--iv-in", in_, "FILE", tr("The IV is the content of this file, as --iv-out writes it"));
  }
}

std::string IvOptions::option() const {
  return !hex_.empty() ? "--iv-hex" : !word_.empty() ? "--iv" : !in_.empty() ? "--iv-in" : "";
}

void IvOptions::check() const {
  if (!hex_.empty() + !word_.empty() + !in_.empty() < 2) return;
  throw Failure(ExitCode::usage, tr("more than one IV is given"), tr("give one of --iv-hex, --iv and --iv-in"));
}

std::vector<uint8_t> IvOptions::read_file(bool stdin_is_taken) {
  if (in_ == "-" && stdin_is_taken) {
    throw Failure(ExitCode::usage, tr("--iv-in -: standard input is read already"), tr("give the IV in a file"));
  }
  InputFile file(in_);
  std::vector<uint8_t> iv(kMaxIv + 1);  // one more, to see that it is too long
  iv.resize(file.read_all(iv));
  source_ = ReadFile{file.name(), file.status()};
  if (iv.size() > kMaxIv)
    throw Failure(ExitCode::usage, tr("{1}: more than {2}, too many for an IV", file.name(), bytes_of(kMaxIv)),
                  tr("this may be the wrong file"));
  return iv;
}

std::vector<uint8_t> IvOptions::load(size_t len, bool stdin_is_taken) {
  if (!in_.empty()) return read_file(stdin_is_taken);
  if (!is_random()) return hex_;
  std::vector<uint8_t> iv(len);
  fill_random(iv);
  return iv;
}

std::vector<uint8_t> IvOptions::read_from(InputFile& input, size_t len) const {
  std::vector<uint8_t> iv(len);
  const size_t got = input.read_all(iv);
  if (got < len) {
    throw Failure(ExitCode::data,
                  tr("{1}: {2}, shorter than the IV of {3} in front of it", input.name(), bytes_of(got), bytes_of(len)),
                  tr("the file is cut off, or was encrypted without --iv random"));
  }
  input.begin_here();
  return iv;
}

Failure IvOptions::failure(const std::string& needs, size_t len, bool encrypts) const {
  if (source_)
    return Failure(ExitCode::usage, tr("{1}, and {2} has {3}", needs, source_->name, bytes_of(len)),
                   tr("give the file that --iv-out wrote"));
  if (len > 0)
    return Failure(ExitCode::usage, tr("{1}, and --iv-hex has {2}", needs, bytes_of(len)), kTwoDigitsMakeAByte);
  return Failure(ExitCode::usage, needs,
                 encrypts ? tr("take --iv random, or give a fresh one with --iv-hex")
                          : tr("give the one of the encryption with --iv-hex or --iv-in, or take --iv file where it is "
                               "the beginning of the file"));
}

IvOutput::IvOutput(const IvOptions& options, const std::vector<uint8_t>& iv, OutputFile& output, Force force,
                   const std::vector<ReadFile>& sources)
    : output_(output) {
  if (!options.is_random()) return;
  if (options.out().empty()) {
    output.write(iv);
    return;
  }
  file_ = std::make_unique<OutputFile>(options.out(), force, OutputFile::Content::binary, sources);
  if (file_->is_same_as(output)) {
    throw Failure(ExitCode::usage, tr("--iv-out and --output are the same file"),
                  tr("leave out --iv-out: the IV is then in front of the ciphertext"));
  }
  file_->write(iv);
}

// The IV first: a ciphertext is worthless without it. All steps that are likely to fail come before.
void IvOutput::commit() {
  if (!file_) return output_.commit();
  file_->finish();
  output_.finish();
  file_->commit();
  output_.commit();
}

}  // namespace vsh::cli
