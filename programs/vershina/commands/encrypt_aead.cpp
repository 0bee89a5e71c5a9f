// Authenticated encryption: ciphertext, then the tag. Decryption verifies everything before it writes anything:
//
//   a regular file, to a name   two passes over the file: one verifies, one decrypts into the private file that becomes
//                               the output, and verifies again, for the file could have been changed in between
//   anything else               one pass verifies and copies the ciphertext to a private temporary file, which no other
//   ¶ process can change; from there it is decrypted
#include <algorithm>
#include <array>
#include <memory>

#include "programs/common/options/option_values.hpp"
#include "programs/common/system/contexts.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/encrypt.hpp"
#include "programs/vershina/files/pipeline.hpp"
#include "programs/vershina/files/read_ahead.hpp"
#include "programs/vershina/files/unlinked_file.hpp"

namespace vsh::cli {
namespace {

struct AeadOptions {
  std::string aad_file;
  unsigned tag_len = 0;  // 0: the longest
  bool aad_given = false;
  bool allow_short_tag = false;
};

// Splits a stream into text and tag, whose place is known only at the end.
class AllButTag {
 public:
  explicit AllButTag(size_t tag_len) : tag_len_(tag_len) {}

  // Calls f with the part of the stream that is certainly text, in one or two pieces; stops if f does not return OK.
  template <class F>
  vsh_status take(std::span<const uint8_t> in, F f) {
    const size_t seen = held_len_ + in.size(), text = seen > tag_len_ ? seen - tag_len_ : 0;
    const size_t of_held = std::min(text, held_len_), of_in = text - of_held;
    vsh_status status = of_held ? f(std::span<const uint8_t>(held_.data(), of_held)) : VSH_OK;
    if (status == VSH_OK && of_in) status = f(in.first(of_in));
    held_len_ -= of_held;
    std::memmove(held_.data(), held_.data() + of_held, held_len_);
    const auto rest = in.subspan(of_in);
    std::copy(rest.begin(), rest.end(), held_.data() + held_len_);
    held_len_ += rest.size();
    return status;
  }

  bool has_tag() const { return held_len_ == tag_len_; }
  const uint8_t* tag() const { return held_.data(); }

 private:
  const size_t tag_len_;
  size_t held_len_ = 0;
  std::array<uint8_t, VSH_AEAD_MAX_TAG_LEN> held_{};
};

class AeadCommand {
 public:
  AeadCommand(EncryptSettings& settings, const AeadOptions& of_aead)
      : settings_(settings), aead_(of_aead), algorithm_(settings.aead) {
    if (!settings_.iv.given()) throw nonce_failure(VSH_E_IV_LENGTH);
    if (aead_.allow_short_tag) options_.flags |= VSH_ALLOW_SHORT_TAGS;
    settings.key_changes.apply(options_);
    settings.engine.apply(options_);
  }

  void run() {
    Key key;
    settings_.key_options.load(key, settings_.input == "-");
    context_ = new_context(key);
    if (!settings_.iv.is_in_input()) load_nonce();
    InputFile input(settings_.input);
    if (settings_.iv.is_in_input()) read_nonce(input);
    std::vector<ReadFile> sources = settings_.sources(input, key.source);
    if (aead_.aad_given) {
      if (aead_.aad_file == "-" && settings_.input == "-") {
        throw Failure(ExitCode::usage, tr("--aad-file -: standard input is read as data already"),
                      tr("give the associated data in a file"));
      }
      data_.emplace(aead_.aad_file);
      sources.push_back({data_->name(), data_->status()});
    }
    const auto content = settings_.encrypts() ? OutputFile::Content::binary : OutputFile::Content::any;
    OutputFile output(settings_.output, settings_.force, content, sources);
    output.take_after(input, !settings_.encrypts());
    IvOutput with_nonce(settings_.iv, nonce_, output, settings_.force, sources);
    if (settings_.encrypts()) {
      Progress progress(settings_.wants_progress(), input.name(), input.remaining_at_open());
      encrypt(input, output, progress);
    } else {
      std::optional<uint64_t> total = input.remaining_at_open();
      if (total) *total *= 2;
      Progress progress(settings_.wants_progress(), input.name(), total);
      decrypt(input, output, progress);
    }
    with_nonce.commit();
  }

 private:
  bool is_mgm() const { return algorithm_ == VSH_KUZNYECHIK_MGM || algorithm_ == VSH_MAGMA_MGM; }

  void load_nonce() {
    nonce_ = settings_.iv.load(vsh_aead_nonce_len(algorithm_), settings_.stdin_is_taken() || aead_.aad_file == "-");
    // RFC 9058 clause 4.1: ICN has a bit less than a block; E(0 || ICN) and E(1 || ICN) begin the two counters.
    if (settings_.iv.is_random() && is_mgm()) nonce_[0] &= 0x7f;
    if (const vsh_status status = begin()) throw nonce_failure(status);
  }

  void read_nonce(InputFile& input) {
    nonce_ = settings_.iv.read_from(input, vsh_aead_nonce_len(algorithm_));
    const vsh_status status = begin();
    if (status == VSH_E_NONCE) {
      throw Failure(ExitCode::data, tr("{1}: does not begin with a nonce of {2}", input.name(), settings_.cipher_name),
                    tr("the file was encrypted without --iv random, or with another cipher"));
    }
    if (status != VSH_OK) throw nonce_failure(status);
  }

  size_t tag_len() const { return vsh_aead_tag_len(context_.get()); }
  vsh_status begin() { return vsh_aead_begin(context_.get(), nonce_.data(), nonce_.size()); }

  // Throws a Failure if the data is invalid.
  void check(vsh_status status, const std::string& name) const {
    if (status != VSH_OK) throw data_failure(status, name);
  }

  // Adds associated data to a message that has begun.
  void add_data() {
    if (!data_) return;
    ReadAhead reader(*data_, pieces_for(options_.device, *data_));
    for (auto in = reader.next(); !in.empty(); in = reader.next())
      check(vsh_aead_add_data(context_.get(), in.data(), in.size()), data_->name());
  }

  void encrypt(InputFile& input, OutputFile& output, Progress& progress) {
    add_data();
    const auto step = [&](std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) {
      len = in.empty() ? tag_len() : in.size();
      return in.empty() ? vsh_aead_final(context_.get(), out.data(), len)
                        : vsh_aead_encrypt(context_.get(), out.data(), in.data(), in.size());
    };
    check(run_pipeline(input, step, output, progress, pieces_for(options_.device, input)).status, input.name());
  }

  void decrypt(InputFile& input, OutputFile& output, Progress& progress) {
    if (input.is_regular() && !output.is_direct() && (!data_ || data_->is_regular())) {
      verify(input, progress, [](std::span<const uint8_t>) {});
      input.rewind();
      if (data_) data_->rewind();
      check(begin(), input.name());
      add_data();
      AllButTag text(tag_len());
      write_text(input, text, output, progress);
      if (!text.has_tag() || vsh_aead_verify(context_.get(), text.tag(), tag_len()) != VSH_OK) {
        throw Failure(ExitCode::data, tr("{1}: the file was changed while it was decrypted", input.name()),
                      tr("run again when no process writes to it"));
      }
      return;
    }
    PrivateFile copy;
    verify(input, progress, [&](std::span<const uint8_t> in) { copy.write(in); });
    InputFile verified = std::move(copy).read_back(input.name());
    check(begin(), input.name());  // without associated data: decryption does not depend on it
    AllButTag text(tag_len());
    write_text(verified, text, output, progress);
  }

  // Reads all of the input; calls look(piece) for each piece. Throws Failure unless the tag is right.
  template <class Look>
  void verify(InputFile& input, Progress& progress, Look look) {
    add_data();
    AllButTag text(tag_len());
    ReadAhead reader(input, pieces_for(options_.device, input));
    for (auto in = reader.next(); !in.empty(); in = reader.next()) {
      const auto authenticate = [&](std::span<const uint8_t> piece) {
        return vsh_aead_authenticate(context_.get(), piece.data(), piece.size());
      };
      check(text.take(in, authenticate), input.name());
      look(in);
      progress.add(in.size());
    }
    if (!text.has_tag()) {
      throw Failure(ExitCode::data,
                    tr("{1}: shorter than the tag of {2} at its end", input.name(), bytes_of(tag_len())),
                    tr("the file may be cut off"));
    }
    check(vsh_aead_verify(context_.get(), text.tag(), tag_len()), input.name());
  }

  void write_text(InputFile& input, AllButTag& text, OutputFile& output, Progress& progress) {
    const auto step = [&](std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) {
      return text.take(in, [&](std::span<const uint8_t> piece) {
        const vsh_status status =
            vsh_aead_decrypt_unverified(context_.get(), out.data() + len, piece.data(), piece.size());
        len += piece.size();
        return status;
      });
    };
    check(run_pipeline(input, step, output, progress, pieces_for(options_.device, input)).status, input.name());
  }

  AeadContext new_context(const Key& key) const {
    vsh_aead* context = nullptr;
    const std::string& name = settings_.cipher_name;
    const vsh_status status = vsh_aead_new(&context, algorithm_, key.secret.bytes, kKeyLen, aead_.tag_len, &options_);
    switch (status) {
      case VSH_OK: return AeadContext(context);
      case VSH_E_TAG_LENGTH:
        if (aead_.tag_len < 8 && aead_.tag_len >= 4) {
          throw Failure(ExitCode::usage, tr("a tag of {1} is soon forged", bytes_of(aead_.tag_len)),
                        tr("take 8 or more, or insist with --allow-short-tag"));
        }
        throw Failure(
            ExitCode::usage,
            tr("{1} has tags of 4 to {2}, not {3}", name, bytes_of(vsh_aead_max_tag_len(algorithm_)), aead_.tag_len),
            tr("--tag-length counts bytes"));
      case VSH_E_SECTION: throw section_failure(name, vsh_aead_max_tag_len(algorithm_), options_);  // a tag is a block
      default: throw engine_failure(status, name, options_);
    }
  }

  Failure nonce_failure(vsh_status status) const {
    const std::string& name = settings_.cipher_name;
    if (status == VSH_E_IV_LENGTH)
      return settings_.iv.failure(tr("{1} needs a nonce of {2}", name, bytes_of(vsh_aead_nonce_len(algorithm_))),
                                  nonce_.size(), settings_.encrypts());
    if (status == VSH_E_NONCE)
      return Failure(ExitCode::usage, tr("the first bit of a nonce of {1} is 0", name),
                     settings_.iv.source()
                         ? tr("{1} is another file, or of another cipher", settings_.iv.source()->name)
                         : tr("--iv-hex must begin with one of the digits 0 to 7"));
    return engine_failure(status, name, options_);
  }

  Failure data_failure(vsh_status status, const std::string& name) const {
    switch (status) {
      case VSH_E_TAG:
        return Failure(ExitCode::data, tr("{1}: verification failed, nothing was written", name),
                       tr("wrong key, cipher, IV, --aad-file or --tag-length, or the data is not what was encrypted"));
      case VSH_E_LIMIT:
        return Failure(ExitCode::data, tr("{1}: more data than {2} allows in one message", name, settings_.cipher_name),
                       tr("divide it, with a nonce for each part"));
      case VSH_E_DATA_LENGTH:
        return Failure(ExitCode::data, tr("{1}: nothing to encrypt, and no associated data", name),
                       tr("{1} needs one of the two", settings_.cipher_name));
      default: return engine_failure(status, settings_.cipher_name, options_);
    }
  }

  EncryptSettings& settings_;
  const AeadOptions& aead_;
  const vsh_aead_algorithm algorithm_;
  vsh_options options_ = VSH_OPTIONS_INIT;
  std::vector<uint8_t> nonce_;
  AeadContext context_;
  std::optional<InputFile> data_;  // associated data
};

std::function<void(EncryptSettings&)> add_aead_options(Command& command) {
  const auto options = std::make_shared<AeadOptions>();
  const Option* const aad =
      command
          .add_option("--aad-file", options->aad_file, "FILE",
                      tr("MGM: associated data, authenticated but neither encrypted nor written"))
          ->manual(
              "For MGM: associated data, which is authenticated but neither encrypted nor written; decryption "
              "needs the same.");
  add_number(command, "--tag-length", options->tag_len, {.min = 1, .max = VSH_AEAD_MAX_TAG_LEN},
             tr("MGM: bytes of the tag (default: a block)"))
      ->manual("For MGM and `ctr-acpkm-omac`: bytes of the tag, 8 to a block (the default).");
  command.add_flag("--allow-short-tag", options->allow_short_tag, tr("MGM: permit tags of 4 to 7 bytes"))
      ->manual("Permit tags of 4 to 7 bytes. One of N bytes is forged in 2^(8n) tries.");
  return [options, aad](EncryptSettings& settings) {
    options->aad_given = aad->count() > 0;
    AeadCommand(settings, *options).run();
  };
}

bool find_aead(EncryptSettings& s) { return vsh_aead_by_name(&s.aead, s.cipher_name.c_str()) == VSH_OK; }

}  // namespace

const CipherKind kAuthenticatedModes = {vsh_aead_name, find_aead, add_aead_options};

}  // namespace vsh::cli
