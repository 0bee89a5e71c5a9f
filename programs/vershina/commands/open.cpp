// `vershina open`: opens files of `vershina seal`: whole, in part, or only to verify them.
#include <unistd.h>

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
#include "programs/vershina/files/archive_unpack.hpp"
#include "programs/vershina/files/pipeline.hpp"
#include "programs/vershina/sealing/open_range.hpp"
#include "programs/vershina/sealing/several.hpp"

namespace vsh::cli {
namespace {

struct OpenSettings {
  std::vector<std::string> inputs;
  std::string output, range, suffix = kSealedSuffix;
  SecretOptions secrets;
  SealedEngine engine;
  WorkLimits limits;
  bool output_given = false;
  bool range_given = false;
  bool verify = false;
  bool outside_links = false;
  bool preserve_permissions = false;
  bool force = false;
  bool quiet = false;
  bool no_progress = false;
};

// One sealed file: everything that needs no secret is checked before a passphrase is asked for.
class Opening {
 public:
  Opening(const OpenSettings& settings, const vsh_options& options, const std::optional<Range>& range,
          const FilePair& pair)
      : settings_(settings),
        options_(options),
        range_(range),
        output_name_(pair.output),
        input_(pair.input),
        header_(input_),
        opener_(new_opener(input_.name(), header_, settings.limits, options)) {
    const vsh_sealed_info shown = inspect_header(input_.name(), header_);
    check_output(shown);
    if (!settings_.secrets.given()) check_has_passphrase(shown, input_.name());
    if (!settings_.secrets.given() || settings_.secrets.has_passphrase()) settings_.limits.check(shown, input_.name());
  }

  // silence: ends where the passphrases are no longer needed.
  void run(const std::vector<Secret>& secrets, std::optional<EchoGuard>& silence) {
    const vsh_sealed_info info = unlock(opener_.get(), input_.name(), secrets);
    silence.reset();
    header_.give_back(input_, vsh_opener_header_len(opener_.get()));
    std::vector<ReadFile> sources = sources_of(secrets);
    sources.push_back({input_.name(), input_.status()});
    const std::unique_ptr<Output> output = new_output(info, sources);
    if (range_) {
      copy_range(opener_.get(), *range_, input_, *output, options_);
    } else {
      copy_all(info.chunk_len, *output);
    }
    const bool is_file = !output->is_direct();
    output->commit();
    if (!settings_.verify) {
      if (is_file) print_done(tr("{1} written", output->name()));
    } else if (!settings_.quiet) {
      print(input_.name() + ": OK" + (::isatty(STDOUT_FILENO) ? ", " + recipients_text(info) : "") + "\n");
    }
  }

 private:
  bool unpacks(const vsh_sealed_info& info) const {
    return info.content == VSH_SEALED_DIRECTORY && !range_ && !is_standard_output(output_name_);
  }

  // Runs before a passphrase is typed; the header, not yet authenticated, is enough for that.
  void check_output(const vsh_sealed_info& shown) const {
    if (settings_.verify) return;
    if (unpacks(shown)) return UnpackedDirectory::check_name(output_name_);
    check_output_name(output_name_, settings_.force);
  }

  std::unique_ptr<Output> new_output(const vsh_sealed_info& info, const std::vector<ReadFile>& sources) const {
    if (settings_.verify) return std::make_unique<NoOutput>();
    if (unpacks(info)) {
      return std::make_unique<UnpackedDirectory>(output_name_, settings_.outside_links, settings_.preserve_permissions);
    }
    auto file = std::make_unique<OutputFile>(output_name_, settings_.force, OutputFile::Content::any, sources);
    file->take_after(input_, true);
    return file;
  }

  void copy_all(size_t chunk_len, Output& output) {
    vsh_opener* const opener = opener_.get();
    const auto step = [&](std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) {
      return in.empty() ? vsh_opener_final(opener, out.data(), out.size(), &len)
                        : vsh_opener_update(opener, out.data(), out.size(), &len, in.data(), in.size());
    };
    CipherOutcome outcome;
    {
      Progress progress(!settings_.quiet && !settings_.no_progress, input_.name(), input_.remaining_at_open());
      const size_t slack = 2 * chunk_len;  // including a chunk held back before
      outcome = run_pipeline(input_, step, output, progress, pieces_for(options_.device, input_), slack);
    }
    if (outcome.status == VSH_OK) return;
    const std::string name = output.is_direct() && outcome.bytes_out > 0
                                 ? tr("{1}: only a part of it went to {2}", input_.name(), output.name())
                                 : input_.name();
    if (outcome.status == VSH_E_CHUNK && ends_wrongly()) throw sealed_failure(VSH_E_TRUNCATED, name, options_);
    if (outcome.status == VSH_E_CHUNK) throw chunk_failure(vsh_opener_chunk(opener), chunk_len, name);
    throw sealed_failure(outcome.status, name, options_);
  }

  // Returns whether a file has an end or a length that no sealed file has: then a chunk that is wrong is not said to be
  // damaged (docs/sealed-format.md, clause 6). Not known of a pipe.
  bool ends_wrongly() const {
    if (!input_.is_regular()) return false;
    const auto file_len = static_cast<uint64_t>(input_.status().st_size);
    vsh_sealed_span last{};
    uint64_t len = 0;
    if (vsh_opener_plain_len(opener_.get(), &len, file_len) != VSH_OK) return true;
    if (vsh_opener_locate(opener_.get(), &last, len, 0, file_len) != VSH_OK) return true;
    std::vector<uint8_t> in(last.in_len), out(last.out_len);
    input_.read_at(in, last.offset);
    size_t out_len = 0;
    return vsh_opener_read(opener_.get(), out.data(), out.size(), &out_len, nullptr, &last, in.data(), in.size()) ==
           VSH_E_TRUNCATED;
  }

  const OpenSettings& settings_;
  const vsh_options& options_;
  const std::optional<Range>& range_;
  const std::string output_name_;
  InputFile input_;
  const SealedHeader header_;
  const OpenerContext opener_;
};

class OpenCommand {
 public:
  explicit OpenCommand(OpenSettings& settings) : settings_(settings), options_(settings.engine.options()) {
    if (settings.verify && (settings.output_given || settings.range_given)) {
      throw Failure(ExitCode::usage, tr("--verify writes nothing and checks all of the file"),
                    tr("leave out -o and --range, or --verify"));
    }
    if (settings.inputs.size() > 1 && (settings.output_given || settings.range_given)) {
      throw Failure(ExitCode::usage, tr("-o and --range are for one file, and there are several inputs"),
                    tr("leave them out, or run the command for each"));
    }
    if (settings.range_given) range_ = parse_range(settings.range);
    for (const std::string& input : settings.inputs)
      pairs_.push_back({input, settings.verify ? "" : settings.output_given ? settings.output : default_output(input)});
  }

  ExitCode run() {
    check_pairs(pairs_);
    Failures failures(pairs_.size());
    std::vector<Secret> secrets;
    bool is_loaded = false;
    for (const FilePair& pair : pairs_) {
      std::optional<Opening> opening;
      if (!failures.run([&] { opening.emplace(settings_, options_, range_, pair); })) continue;
      std::optional<EchoGuard> silence;
      if (!is_loaded) {  // once for all files
        silence.emplace();
        secrets = settings_.secrets.load(pairs_.size() == 1 && pair.input == "-");
        settings_.secrets.ask_for_more(secrets, !settings_.secrets.given());
      }
      is_loaded = true;
      failures.run([&] { opening->run(secrets, silence); });
    }
    return failures.first();
  }

 private:
  std::string default_output(const std::string& name) const {
    if (name == "-") return "-";
    const std::string_view suffix = settings_.suffix;
    const std::string last = name.substr(name.rfind('/') + 1);
    if (!last.ends_with(suffix) || last.size() == suffix.size()) {
      throw Failure(
          ExitCode::usage,
          tr("{1}: does not end with {2}, so the output has no name", quote_name(name), quote_name(suffix)),
          settings_.inputs.size() == 1 ? tr("name it with -o") : tr("give the --suffix, or name the output with -o"));
    }
    return name.substr(0, name.size() - suffix.size());
  }

  OpenSettings& settings_;
  const vsh_options options_;
  std::optional<Range> range_;
  std::vector<FilePair> pairs_;
};

constexpr const char* kOpenExamples =
    mark(R"(The output appears under its name only when all of the file is verified: NAME for NAME.sealed by default.
To standard output (-o -) only verified chunks go, but where the exit status is not 0, the end is
missing. A sealed directory is unpacked next to its final name; nothing in it can lead out of it. -o -
gives it as a tar stream. A failure with one of several files is reported, the others are opened, and the exit
status is that of the first failure; passphrases are asked for once.

Examples:
  vershina open report.pdf.sealed                   asks for the passphrase, makes report.pdf
  vershina open -k office.key photos.sealed -o /tmp/photos
  vershina open -k office.key *.sealed              opens each of them
  vershina open --verify -k backup.key base.sealed  checks everything, writes nothing
  vershina open --range 1000000-1000999 film.mkv.sealed -o part
  vershina open -k backup.key - < base.sealed | psql base)");

}  // namespace

void add_open_command(Program& program) {
  Command& command = program.add_command("open", tr("Open or verify sealed files, or read a part of one"));
  auto settings = std::make_shared<OpenSettings>();
  command.add_operand("IN", settings->inputs, tr("The sealed files, or - for standard input"))->required();
  auto* output =
      command.add_option("-o,--output", settings->output, "OUT",
                         tr("The file or directory to write, or - for standard output (default: IN, no .sealed)"));
  add_suffix_option(command, settings->suffix, tr("Write each IN to IN without this suffix (default: .sealed)"))
      ->manual(
          "The suffix removed from the name of each input to name its output, a dot first. The default is "
          ".sealed.")
      ->excludes(output);
  settings->secrets.add_to(command, "", SecretOptions::Use::open);
  const auto take_range = [settings](const Texts& texts) {
    settings->range = texts.back();
    (void)parse_range(settings->range);  // a wrong range is reported first
  };
  auto* range =
      command
          .add_option("--range", "RANGE",
                      tr("Only these bytes of the content, from 0: FIRST-LAST, FIRST- or FIRST+LENGTH"), false,
                      take_range)
          ->manual(
              "Only these bytes of the content, counted from 0: FIRST`-`LAST, FIRST`-` or FIRST`+`LENGTH. Only "
              "the chunks that they touch are read and verified, so the input must be a regular file.");
  command.add_flag("--verify", settings->verify, tr("Check everything, write nothing"))
      ->manual(
          "Check everything; print only a line with the result for each file, on a terminal with the number "
          "of passphrases and keys.");
  settings->limits.add_to(command);
  command.add_flag("--outside-links", settings->outside_links,
                   tr("Directories: make symbolic links that lead out of the directory, too"));
  command
      .add_flag("--preserve-permissions", settings->preserve_permissions,
                tr("Directories: permissions as they were, whatever umask says (always so for root)"))
      ->manual(
          "Restore all permissions in a directory, even those that umask(2) removes, as is always done for "
          "root.");
  settings->engine.add_to(command);
  settings->engine.add_device_to(command);
  command.add_flag("-f,--force", settings->force,
                   tr("Replace an existing output file (not a directory); write anything to a terminal"));
  command.add_flag("-q,--quiet", settings->quiet, tr("Print only errors"));
  command.add_flag("--no-progress", settings->no_progress, tr("Show no progress bar"));
  command.footer(tr(kOpenExamples));
  command.exit_status({ExitCode::ok,
                       {ExitCode::data, tr("wrong data in a directory")},
                       ExitCode::usage,
                       ExitCode::input,
                       ExitCode::output,
                       ExitCode::kernel,
                       ExitCode::wrong_key,
                       {ExitCode::header, tr("not a sealed file, or its header is damaged or tampered with")},
                       ExitCode::chunk,
                       ExitCode::truncated,
                       ExitCode::version,
                       ExitCode::parameters,
                       ExitCode::device,
                       {ExitCode::internal, tr("libargon2 or libarchive is missing, or out of memory")},
                       ExitCode::closed_pipe});
  command.action([=] {
    settings->output_given = output->count() > 0;
    settings->range_given = range->count() > 0;
    return OpenCommand(*settings).run();
  });
}

}  // namespace vsh::cli
