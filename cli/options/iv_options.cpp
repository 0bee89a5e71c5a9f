#include "cli/options/iv_options.hpp"

#include <vershina/vershina.h>

#include "cli/options/option_values.hpp"
#include "cli/system/random.hpp"
#include "cli/text/hex.hpp"
#include "cli/text/text.hpp"

namespace vsh::cli {
namespace {

// The longest IV of any cipher: a register of OFB, CBC and CFB.
constexpr size_t kMaxIv = VSH_MAX_REGISTER * VSH_MAX_BLOCK_LEN;

// --iv takes one word in each direction.
std::string read_word(const std::string& text, bool encrypts) {
  const std::string word = lower_case(text), wanted = encrypts ? "random" : "file";
  if (word == wanted) return wanted;
  if (word == "file")
    throw Failure(ExitCode::usage, "--iv file reads the IV in front of a ciphertext, for decryption",
                  "take --iv random, which writes one there");
  if (word == "random")
    throw Failure(ExitCode::usage, "--iv random makes a new IV, for encryption",
                  "take --iv file, which reads the one in front of the ciphertext, or --iv-in FILE");
  if (hex_problem(text).empty())
    throw Failure(ExitCode::usage, "--iv takes the word " + wanted + ", not digits", "give digits with --iv-hex");
  throw Failure(ExitCode::usage, "--iv takes the word " + wanted + ", not " + quote_name(text),
                encrypts ? "it writes a random IV in front of the ciphertext"
                         : "it reads the IV in front of the ciphertext; for another file see --iv-in");
}

}  // namespace

void IvOptions::add_to(Command& command, bool encrypts, const std::string& lengths) {
  add_hex(command, "--iv-hex", hex_, "IV or nonce: " + lengths);
  const auto take = [this, encrypts](const Texts& texts) { word_ = read_word(texts.back(), encrypts); };
  const auto words = [encrypts] { return Texts{encrypts ? "random" : "file"}; };
  Option* const word = command
                           .add_option("--iv", encrypts ? "random" : "file",
                                       encrypts ? "A random IV, written in front of the ciphertext"
                                                : "The IV is the beginning of IN, as --iv random writes it",
                                       false, take)
                           ->offers(words);
  if (encrypts) {
    command.add_option("--iv-out", out_, "FILE", "Write the random IV to this file instead, as bytes")->needs(word);
  } else {
    command.add_option("--iv-in", in_, "FILE", "The IV is the content of this file, as --iv-out writes it");
  }
}

std::string IvOptions::option() const {
  return !hex_.empty() ? "--iv-hex" : !word_.empty() ? "--iv" : !in_.empty() ? "--iv-in" : "";
}

void IvOptions::check() const {
  if (!hex_.empty() + !word_.empty() + !in_.empty() < 2) return;
  throw Failure(ExitCode::usage, "more than one IV is given", "give one of --iv-hex, --iv and --iv-in");
}

std::vector<uint8_t> IvOptions::read_file(bool stdin_is_taken) {
  if (in_ == "-" && stdin_is_taken) {
    throw Failure(ExitCode::usage, "--iv-in -: standard input is read already", "give the IV in a file");
  }
  InputFile file(in_);
  std::vector<uint8_t> iv(kMaxIv + 1);  // one more, to see that it is too long
  iv.resize(file.read_all(iv));
  source_ = ReadFile{file.name(), file.status()};
  if (iv.size() > kMaxIv)
    throw Failure(ExitCode::usage, file.name() + ": more than " + bytes_of(kMaxIv) + ", too many for an IV",
                  "is it the right file?");
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
                  input.name() + ": " + bytes_of(got) + ", shorter than the IV of " + bytes_of(len) + " in front of it",
                  "is it the whole file, and encrypted with --iv random?");
  }
  input.begin_here();
  return iv;
}

Failure IvOptions::failure(const std::string& needs, size_t len, bool encrypts) const {
  if (source_)
    return Failure(ExitCode::usage, needs + ", and " + source_->name + " has " + bytes_of(len),
                   "is it the file of --iv-out?");
  if (len > 0) return Failure(ExitCode::usage, needs + ", and --iv-hex has " + bytes_of(len), kTwoDigitsMakeAByte);
  return Failure(ExitCode::usage, needs,
                 encrypts ? "take --iv random, or give a fresh one with --iv-hex"
                          : "give the one of the encryption with --iv-hex or --iv-in, or take --iv file where it is "
                            "the beginning of the file");
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
    throw Failure(ExitCode::usage, "--iv-out and --output are the same file",
                  "leave out --iv-out: the IV is then in front of the ciphertext");
  }
  file_->write(iv);
}

// The IV first: there is no ciphertext without it. All that is likely to fail comes before.
void IvOutput::commit() {
  if (!file_) return output_.commit();
  file_->finish();
  output_.finish();
  file_->commit();
  output_.commit();
}

}  // namespace vsh::cli
