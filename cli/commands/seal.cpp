// `vershina seal`: a file, a directory or a stream, for holders of any of the passphrases or key files.
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/files/archive_pack.hpp"
#include "cli/files/output_file.hpp"
#include "cli/files/pipeline.hpp"
#include "cli/options/engine_options.hpp"
#include "cli/options/option_values.hpp"
#include "cli/options/secret_options.hpp"
#include "cli/sealing/sealed_file.hpp"
#include "cli/system/console.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

namespace vsh::cli {
namespace {

struct SealSettings {
  std::string input, output;
  SecretOptions secrets;
  SealedEngine engine;
  uint32_t iterations = 0;  // 0: calibrate
  uint32_t chunk_len = 0;   // 0: the library's default
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

class SealCommand {
 public:
  explicit SealCommand(SealSettings& settings) : settings_(settings), options_(settings.engine.options()) {
    if (!settings.output_given) settings.output = default_output(settings.input);
  }

  void run() {
    vsh_sealer* made = nullptr;
    const vsh_status status = vsh_sealer_new(&made, settings_.chunk_len, &options_);
    if (status == VSH_E_PARAMETERS) {
      throw Failure(ExitCode::usage, tr("--chunk {1}: no power of two", settings_.chunk_len),
                    tr("give a power of two from 4096 to 16777216"));
    }
    check(status);
    const SealerContext sealer(made);
    std::vector<Secret> secrets = settings_.secrets.load(settings_.input == "-");
    Source source(settings_.input, settings_.tar);
    source.check_output(settings_.output);
    std::vector<ReadFile> sources = sources_of(secrets);
    sources.push_back(source.as_read());
    OutputFile output(settings_.output, settings_.force, OutputFile::Content::binary, sources);
    output.take_after(source.stream(), false);
    settings_.secrets.ask_for_more(secrets, !settings_.secrets.given());  // after all other checks
    if (source.is_directory()) check(vsh_sealer_set_content(sealer.get(), VSH_SEALED_DIRECTORY));
    add_recipients(sealer.get(), secrets);
    check(vsh_sealer_set_slot_len(sealer.get(), least_slot_len(source.stream().remaining_at_open())));
    std::vector<uint8_t> header(vsh_sealer_header_len(sealer.get()));
    check(vsh_sealer_header(sealer.get(), header.data(), header.size()));
    output.write(header);
    const size_t chunk_len = settings_.chunk_len > 0 ? settings_.chunk_len : VSH_SEALED_DEFAULT_CHUNK_LEN;
    InputFile& stream = source.stream();
    Progress progress(!settings_.quiet && !settings_.no_progress, stream.name(), stream.remaining_at_open());
    const Pieces pieces = pieces_for(options_.device, stream);
    const auto step = [&](std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) {
      if (!in.empty()) return vsh_sealer_update(sealer.get(), out.data(), out.size(), &len, in.data(), in.size());
      source.check();
      return vsh_sealer_final(sealer.get(), out.data(), out.size(), &len);
    };
    check(run_pipeline(stream, step, output, progress, pieces, sealing_slack(pieces.len, chunk_len)).status);
    output.commit();
  }

 private:
  static std::string default_output(std::string name) {
    if (name == "-") return "-";
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    const std::string last = name.substr(name.rfind('/') + 1);
    if (last.empty() || last == "." || last == "..") {
      throw Failure(ExitCode::usage, tr("{1}: has no name of its own to make the output's from", quote_name(name)),
                    tr("name the output with -o, outside this directory"));
    }
    return name + kSealedSuffix;
  }

  void check(vsh_status status) const {
    if (status == VSH_OK) return;
    if (status == VSH_E_PARAMETERS) {
      throw Failure(ExitCode::usage, tr("too many passphrases and keys"), tr("give at most 32"));
    }
    throw engine_failure(status, "kuznyechik", options_);
  }

  void add_recipients(vsh_sealer* sealer, const std::vector<Secret>& secrets) const {
    const uint32_t iterations = iterations_for(secrets, settings_.iterations, options_);
    for (const Secret& secret : secrets) {
      const vsh_recipient recipient = secret.recipient(secret.passphrase ? iterations : 0);
      check(vsh_sealer_add_recipient(sealer, &recipient));
    }
  }

  SealSettings& settings_;
  const vsh_options options_;
};

constexpr const char* kSealExamples =
    mark(R"(Without -p, -k or another of these a passphrase is asked for. Whoever has one of the passphrases or key
files can open the file; without any of them nobody can. What was sealed stays where it is. The output
appears under its name only when it is complete: NAME.sealed beside NAME by default, standard output for
-.

Examples:
  vershina seal report.pdf                          asks for a passphrase, makes report.pdf.sealed
  vershina seal photos/ -o /media/usb/photos.sealed
  vershina seal -p -p -k office.key plan.odt        two passphrases and a key file, each of which opens it
  (umask 077; head -c 32 /dev/urandom > office.key) makes a key file: keep a copy elsewhere
  tar c -C src --exclude=.git . | vershina seal --tar -k office.key - -o src.sealed
  pg_dump base | vershina seal -k backup.key - > base.sealed)");

}  // namespace

void add_seal_command(Program& program) {
  Command& command = program.add_command("seal", tr("Protect a file or a directory with passphrases or key files"));
  auto settings = std::make_shared<SealSettings>();
  command.add_operand("IN", settings->input, tr("The file or directory, or - for standard input"))->required();
  auto* output = command.add_option("-o,--output", settings->output, "OUT",
                                    tr("The file to write, or - for standard output (default: IN.sealed)"));
  settings->secrets.add_to(command, "", SecretOptions::Use::set);
  command.add_flag("--tar", settings->tar,
                   tr("IN is a tar stream, as from `tar c`, and becomes a directory when opened"));
  add_number(command, "--iterations", settings->iterations, kSealedIterations,
             tr("Iterations of PBKDF2 for a passphrase (default: calibrated to 0.5 s, at least 100000)"));
  add_number(command, "--chunk", settings->chunk_len,
             {.min = VSH_SEALED_MIN_CHUNK_LEN, .max = VSH_SEALED_MAX_CHUNK_LEN, .is_size = true, .power_of_two = true},
             tr("Bytes authenticated together: a power of two, 4096 to 16777216 (default: 65536)"));
  settings->engine.add_to(command);
  settings->engine.add_device_to(command);
  command.add_flag("-f,--force", settings->force, tr("Replace an existing output file; write to a terminal"));
  command.add_flag("-q,--quiet", settings->quiet, tr("Show no progress bar"));
  command.add_flag("--no-progress", settings->no_progress, tr("Show no progress bar"));
  command.footer(tr(kSealExamples));
  command.exit_status({ExitCode::ok, ExitCode::usage, ExitCode::input, ExitCode::output, ExitCode::kernel,
                       ExitCode::device, ExitCode::closed_pipe});
  command.action([=] {
    if (settings->quiet) keep_quiet();
    settings->output_given = output->count() > 0;
    SealCommand(*settings).run();
  });
}

}  // namespace vsh::cli
