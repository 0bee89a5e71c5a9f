// `vershina seal`: files, directories or a stream, for holders of any of the passphrases or key files.
#include <algorithm>
#include <memory>
#include <optional>

#include "programs/common/files/output_file.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/options/secret_options.hpp"
#include "programs/common/sealing/derivation.hpp"
#include "programs/common/sealing/sealed_file.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/commands.hpp"
#include "programs/vershina/files/archive_pack.hpp"
#include "programs/vershina/files/pipeline.hpp"
#include "programs/vershina/sealing/several.hpp"

namespace vsh::cli {
namespace {

struct SealSettings {
  std::vector<std::string> inputs;
  std::string output, suffix = kSealedSuffix;
  SecretOptions secrets;
  SealedEngine engine;
  DerivationOptions derivation;
  uint32_t chunk_len = 0;  // 0: the library's default
  bool output_given = false;
  bool tar = false;
  bool force = false;
  bool quiet = false;
  bool no_progress = false;
};

// Bytes that sealing may write beyond a piece: a chunk held back before, and the beginning of another.
size_t sealing_slack(size_t piece_len, size_t chunk_len) {
  const size_t len = piece_len + 2 * chunk_len;
  return 2 * chunk_len + (len / chunk_len + 1) * VSH_SEALED_TAG_LEN + VSH_SEALED_END_LEN;
}

// Source of the content: a file, or a directory as a tar stream.
class Source {
 public:
  Source(const std::string& name, bool is_tar) : is_directory_(is_tar) {
    struct stat status;
    if (name != "-" && ::stat(name.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      if (is_tar) throw Failure(ExitCode::usage, tr("{1}: is a directory", quote_name(name)), tr("leave out --tar"));
      directory_ = std::make_unique<PackedDirectory>(name);
      is_directory_ = true;
    } else {
      file_ = std::make_unique<InputFile>(name);
    }
  }

  bool is_directory() const { return is_directory_; }  // or was one: a tar stream
  InputFile& stream() { return directory_ ? directory_->stream() : *file_; }
  // Returns the length of the content, if it is known. A file of no bytes is empty or, as in /proc, does not say.
  std::optional<uint64_t> content_len() {
    InputFile& from = stream();
    if (!from.is_regular() || from.remaining_at_open()) return from.remaining_at_open();
    uint8_t first = 0;
    if (from.read(std::span(&first, 1)) == 0) return 0;
    from.unread(std::span(&first, 1));
    return std::nullopt;
  }
  ReadFile as_read() const {
    if (directory_) return {directory_->name(), directory_->status()};
    return {file_->name(), file_->status()};
  }
  void check_output(const std::string& output) const {
    if (!directory_ || is_standard_output(output) || !directory_->contains(output)) return;
    throw Failure(ExitCode::output, tr("{1}: inside the directory that is sealed", quote_name(output)),
                  tr("choose another place"));
  }
  // Called at the end of the stream: throws if the source changed or is incomplete.
  void check() {
    if (directory_) return directory_->finish();
    file_->check_unchanged();
  }

 private:
  bool is_directory_;
  std::unique_ptr<PackedDirectory> directory_;
  std::unique_ptr<InputFile> file_;
};

// The secrets of the recipients, and what their passphrases cost.
struct Recipients {
  std::vector<Secret> secrets;
  Derivation derivation;
};

// One file, directory or stream: everything is checked and opened before a passphrase is asked for.
class Sealing {
 public:
  Sealing(const SealSettings& settings, const vsh_options& options, const FilePair& pair,
          const std::vector<Secret>& secrets)
      : settings_(settings), options_(options), source_(pair.input, settings.tar) {
    source_.check_output(pair.output);
    std::vector<ReadFile> sources = sources_of(secrets);
    sources.push_back(source_.as_read());
    output_ = std::make_unique<OutputFile>(pair.output, settings.force, OutputFile::Content::binary, sources);
    output_->take_after(source_.stream(), false);
  }

  // silence: ends where the passphrases are no longer needed.
  void run(const Recipients& recipients, std::optional<EchoGuard>& silence) {
    vsh_sealer* made = nullptr;
    check(vsh_sealer_new(&made, settings_.chunk_len, &options_));
    const SealerContext sealer(made);
    if (source_.is_directory()) check(vsh_sealer_set_content(sealer.get(), VSH_SEALED_DIRECTORY));
    add(sealer.get(), recipients);
    silence.reset();
    check(vsh_sealer_set_slot_len(sealer.get(), least_slot_len(source_.content_len())));
    std::vector<uint8_t> header(vsh_sealer_header_len(sealer.get()));
    check(vsh_sealer_header(sealer.get(), header.data(), header.size()));
    output_->write(header);
    copy(sealer.get());
    const bool is_file = !output_->is_direct();
    output_->commit();
    if (is_file) {
      const std::vector<Secret>& secrets = recipients.secrets;
      const auto is_key = [](const Secret& secret) { return secret.key != nullptr; };
      const auto num_keys = static_cast<size_t>(std::count_if(secrets.begin(), secrets.end(), is_key));
      print_done(tr("{1} written, {2}", output_->name(), recipients_text(secrets.size() - num_keys, num_keys)));
    }
  }

 private:
  void add(vsh_sealer* sealer, const Recipients& recipients) const {
    check(vsh_sealer_set_argon2id(sealer, recipients.derivation.cost()));
    for (const Secret& secret : recipients.secrets) {
      const vsh_recipient recipient = secret.recipient(secret.passphrase ? recipients.derivation.iterations : 0);
      check(vsh_sealer_add_recipient(sealer, &recipient));
    }
  }

  void copy(vsh_sealer* sealer) {
    const size_t chunk_len = settings_.chunk_len > 0 ? settings_.chunk_len : VSH_SEALED_DEFAULT_CHUNK_LEN;
    InputFile& stream = source_.stream();
    Progress progress(!settings_.quiet && !settings_.no_progress, stream.name(), stream.remaining_at_open());
    const Pieces pieces = pieces_for(options_.device, stream);
    const auto step = [&](std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) {
      if (!in.empty()) return vsh_sealer_update(sealer, out.data(), out.size(), &len, in.data(), in.size());
      source_.check();
      return vsh_sealer_final(sealer, out.data(), out.size(), &len);
    };
    check(run_pipeline(stream, step, *output_, progress, pieces, sealing_slack(pieces.len, chunk_len)).status);
  }

  void check(vsh_status status) const {
    if (status != VSH_OK) throw engine_failure(status, "kuznyechik", options_);
  }

  const SealSettings& settings_;
  const vsh_options& options_;
  Source source_;
  std::unique_ptr<OutputFile> output_;
};

class SealCommand {
 public:
  explicit SealCommand(SealSettings& settings) : settings_(settings), options_(settings.engine.options()) {
    if (settings.output_given && settings.inputs.size() > 1) {
      throw Failure(ExitCode::usage, tr("-o names one output, and there are several inputs"),
                    tr("leave it out: each output is named after its input, with --suffix"));
    }
    for (const std::string& input : settings.inputs)
      pairs_.push_back({input, settings.output_given ? settings.output : default_output(input)});
  }

  ExitCode run() {
    check_engine();
    settings_.derivation.check();
    settings_.secrets.check_labels(!settings_.secrets.given());
    check_pairs(pairs_);
    Recipients recipients;
    recipients.secrets = settings_.secrets.load(pairs_.size() == 1 && pairs_[0].input == "-");
    Failures failures(pairs_.size());
    bool is_complete = false;
    for (const FilePair& pair : pairs_) {
      std::optional<Sealing> sealing;
      if (!failures.run([&] { sealing.emplace(settings_, options_, pair, recipients.secrets); })) continue;
      std::optional<EchoGuard> silence;
      if (!is_complete) {
        silence.emplace();
        complete(recipients);
      }
      is_complete = true;
      failures.run([&] { sealing->run(recipients, silence); });
    }
    return failures.first();
  }

 private:
  std::string default_output(std::string name) const {
    if (name == "-") return "-";
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    const std::string last = name.substr(name.rfind('/') + 1);
    if (last.empty() || last == "." || last == "..") {
      throw Failure(ExitCode::usage, tr("{1}: has no name of its own to make the output's from", quote_name(name)),
                    tr("name the output with -o, outside this directory"));
    }
    return name + settings_.suffix;
  }

  // Reports a chunk length or a kernel that is not possible, once for all files.
  void check_engine() const {
    vsh_sealer* made = nullptr;
    const vsh_status status = vsh_sealer_new(&made, settings_.chunk_len, &options_);
    const SealerContext sealer(made);
    if (status == VSH_E_PARAMETERS) {
      throw Failure(ExitCode::usage, tr("--chunk {1}: not a power of two", settings_.chunk_len),
                    tr("give a power of two from 4096 to 16777216"));
    }
    if (status != VSH_OK) throw engine_failure(status, "kuznyechik", options_);
  }

  // Asks for passphrases, once for all files, and chooses what they cost.
  void complete(Recipients& recipients) const {
    settings_.secrets.ask_for_more(recipients.secrets, !settings_.secrets.given());
    if (recipients.secrets.size() > VSH_SEALED_MAX_RECIPIENTS) {
      throw Failure(ExitCode::usage, tr("too many passphrases and keys"), tr("give at most 32"));
    }
    recipients.derivation = settings_.derivation.choose(recipients.secrets, options_);
  }

  SealSettings& settings_;
  const vsh_options options_;
  std::vector<FilePair> pairs_;
};

constexpr const char* kSealExamples =
    mark(R"(Without -p, -k or another of these a passphrase is asked for. Anyone who has one of the passphrases or key
files can open the file; without any of them nobody can. The sources stay where they are. The output
appears under its name only when it is complete: NAME.sealed next to NAME by default, standard output for
standard input. Each of several files is sealed by itself; the passphrase is asked for once. A file that
fails is reported, the others are sealed, and the exit status is that of the first failure.

Examples:
  vershina seal report.pdf                          asks for a passphrase, makes report.pdf.sealed
  vershina seal -k office.key *.pdf                 makes a sealed file of each
  vershina seal photos/ -o /media/usb/photos.sealed
  vershina seal -p -p -k office.key plan.odt        two passphrases and a key file, each of which opens it
  vershina seal -k alice.key --label Alice -k bob.key --label Bob letter.odt
  vershina seal --kdf argon2id secret.txt           each guess at the passphrase takes 64 MiB
  vershina keygen -o office.key                     makes a key file: keep a copy elsewhere
  tar c -C src --exclude=.git . | vershina seal --tar -k office.key -o src.sealed
  pg_dump base | vershina seal -k backup.key > base.sealed)");

}  // namespace

void add_seal_command(Program& program) {
  Command& command = program.add_command("seal", tr("Protect files or directories with passphrases or key files"));
  auto settings = std::make_shared<SealSettings>();
  auto* inputs = command.add_operand(
      "IN", settings->inputs, tr("Files or directories, each sealed by itself (default, and -: standard input)"));
  auto* output = command.add_option("-o,--output", settings->output, "OUT",
                                    tr("The file to write, or - for standard output (default: IN.sealed)"));
  add_suffix_option(command, settings->suffix, tr("Write each IN to IN with this suffix (default: .sealed)"))
      ->manual("The suffix added to the name of each input to name its output, a dot first. The default is .sealed.")
      ->excludes(output);
  settings->secrets.add_to(command, "", SecretOptions::Use::set);
  command.add_flag("--tar", settings->tar,
                   tr("IN is a tar stream, as from `tar c`, and becomes a directory when opened"));
  settings->derivation.add_to(command, tr("a passphrase"));
  add_number(command, "--chunk", settings->chunk_len,
             {.min = VSH_SEALED_MIN_CHUNK_LEN, .max = VSH_SEALED_MAX_CHUNK_LEN, .is_size = true, .power_of_two = true},
             tr("Bytes authenticated together: a power of two, 4096 to 16777216 (default: 65536)"))
      ->manual(
          "Bytes that are authenticated together, a power of two from 4096 to 16777216. The default is "
          "65536. Opening a part of the file reads whole chunks.");
  settings->engine.add_to(command);
  settings->engine.add_device_to(command);
  command.add_flag("-f,--force", settings->force, tr("Replace an existing output file; write to a terminal"))
      ->manual("Replace an existing file; write to a block device or a terminal.");
  command.add_flag("-q,--quiet", settings->quiet, tr("Show no progress bar, and do not say what was written"))
      ->manual("Print only errors and notes of files left out.");
  command.add_flag("--no-progress", settings->no_progress, tr("Show no progress bar"));
  command.footer(tr(kSealExamples));
  command.exit_status({ExitCode::ok,
                       ExitCode::usage,
                       {ExitCode::input, tr("the input, a key or a passphrase cannot be read, or the input changed")},
                       ExitCode::output,
                       ExitCode::kernel,
                       ExitCode::device,
                       ExitCode::closed_pipe});
  command.action([=] {
    if (settings->quiet) keep_quiet();
    if (inputs->count() == 0) settings->inputs = {standard_input()};
    settings->output_given = output->count() > 0;
    return SealCommand(*settings).run();
  });
}

}  // namespace vsh::cli
