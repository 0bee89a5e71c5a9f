// `vershina open`: opens a file of `vershina seal`: whole, in part, or only to verify it.
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/files/archive_unpack.hpp"
#include "cli/files/output_file.hpp"
#include "cli/files/pipeline.hpp"
#include "cli/options/engine_options.hpp"
#include "cli/options/option_values.hpp"
#include "cli/options/secret_options.hpp"
#include "cli/sealing/open_range.hpp"
#include "cli/sealing/sealed_file.hpp"
#include "cli/system/console.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

namespace vsh::cli {
namespace {

struct OpenSettings {
  std::string input, output, range;
  SecretOptions secrets;
  SealedEngine engine;
  uint64_t max_iterations = 0;  // 0: the library's bound
  bool output_given = false;
  bool range_given = false;
  bool verify = false;
  bool outside_links = false;
  bool preserve_permissions = false;
  bool force = false;
  bool quiet = false;
  bool no_progress = false;
};

class OpenCommand {
 public:
  explicit OpenCommand(OpenSettings& settings) : settings_(settings), options_(settings.engine.options()) {
    if (settings.verify && (settings.output_given || settings.range_given)) {
      throw Failure(ExitCode::usage, tr("--verify writes nothing and checks all of the file"),
                    tr("leave out -o and --range, or --verify"));
    }
    if (settings.range_given) range_ = parse_range(settings.range);
    if (!settings.output_given && !settings.verify) settings.output = default_output(settings.input);
  }

  void run() {
    InputFile input(settings_.input);
    const SealedHeader header(input);
    const OpenerContext opener = new_opener(input.name(), header, settings_.max_iterations, options_);
    const vsh_sealed_info shown = inspect_header(input.name(), header);
    check_output(shown);
    const bool ask = !settings_.secrets.given() && asks(shown, input.name());
    std::vector<Secret> secrets = settings_.secrets.load(settings_.input == "-");
    settings_.secrets.ask_for_more(secrets, ask);
    const vsh_sealed_info info = unlock(opener.get(), input.name(), secrets);
    header.give_back(input, vsh_opener_header_len(opener.get()));
    std::vector<ReadFile> sources = sources_of(secrets);
    sources.push_back({input.name(), input.status()});
    const std::unique_ptr<Output> output = new_output(info, input, sources);
    if (range_) {
      copy_range(opener.get(), *range_, input, *output, options_);
    } else {
      copy_all(opener.get(), info.chunk_len, input, *output);
    }
    output->commit();
    if (settings_.verify && !settings_.quiet) print(input.name() + ": OK\n");
  }

 private:
  static std::string default_output(const std::string& name) {
    if (name == "-") return "-";
    const std::string_view suffix = kSealedSuffix;
    const std::string last = name.substr(name.rfind('/') + 1);
    if (!last.ends_with(suffix) || last.size() == suffix.size()) {
      throw Failure(ExitCode::usage, tr("{1}: does not end with .sealed, so the output has no name", quote_name(name)),
                    tr("name it with -o"));
    }
    return name.substr(0, name.size() - suffix.size());
  }

  static bool asks(const vsh_sealed_info& info, const std::string& name) {
    if (has_passphrase(info)) return true;
    throw Failure(ExitCode::usage, tr("{1}: no passphrase opens it, only a key file", name),
                  tr("give that with -k FILE"));
  }

  bool unpacks(const vsh_sealed_info& info) const {
    return info.content == VSH_SEALED_DIRECTORY && !range_ && !is_standard_output(settings_.output);
  }

  // Runs before a passphrase is typed; the header, not yet authenticated, is enough for that.
  void check_output(const vsh_sealed_info& shown) const {
    if (settings_.verify) return;
    if (unpacks(shown)) return UnpackedDirectory::check_name(settings_.output);
    check_output_name(settings_.output, settings_.force);
  }

  std::unique_ptr<Output> new_output(const vsh_sealed_info& info, const InputFile& input,
                                     const std::vector<ReadFile>& sources) const {
    if (settings_.verify) return std::make_unique<NoOutput>();
    if (unpacks(info)) {
      return std::make_unique<UnpackedDirectory>(settings_.output, settings_.outside_links,
                                                 settings_.preserve_permissions);
    }
    auto file = std::make_unique<OutputFile>(settings_.output, settings_.force, OutputFile::Content::any, sources);
    file->take_after(input, true);
    return file;
  }

  void copy_all(vsh_opener* opener, size_t chunk_len, InputFile& input, Output& output) const {
    const auto step = [&](std::span<uint8_t> out, size_t& len, std::span<const uint8_t> in) {
      return in.empty() ? vsh_opener_final(opener, out.data(), out.size(), &len)
                        : vsh_opener_update(opener, out.data(), out.size(), &len, in.data(), in.size());
    };
    CipherOutcome outcome;
    {
      Progress progress(!settings_.quiet && !settings_.no_progress, input.name(), input.remaining_at_open());
      const size_t slack = 2 * chunk_len;  // including a chunk held back before
      outcome = run_pipeline(input, step, output, progress, pieces_for(options_.device, input), slack);
    }
    if (outcome.status == VSH_OK) return;
    const std::string name =
        output.is_direct() ? tr("{1}: only a part of it went to {2}", input.name(), output.name()) : input.name();
    if (outcome.status == VSH_E_CHUNK) throw chunk_failure(vsh_opener_chunk(opener), chunk_len, name);
    throw sealed_failure(outcome.status, name, options_);
  }

  OpenSettings& settings_;
  const vsh_options options_;
  std::optional<Range> range_;
};

constexpr const char* kOpenExamples =
    mark(R"(The output appears under its name only when all of the file is verified: NAME for NAME.sealed by default.
To standard output (-o -) only verified chunks go, but where the exit status is not 0, the end is
missing. A sealed directory is unpacked beside its final name; nothing in it can lead out of it. -o -
gives it as a tar stream.

Examples:
  vershina open report.pdf.sealed                   asks for the passphrase, makes report.pdf
  vershina open -k office.key photos.sealed -o /tmp/photos
  vershina open --verify -k backup.key base.sealed  checks everything, writes nothing
  vershina open --range 1000000-1000999 film.mkv.sealed -o part
  vershina open -k backup.key - < base.sealed | psql base)");

}  // namespace

void add_open_command(Program& program) {
  Command& command = program.add_command("open", tr("Open, verify or read a part of a sealed file"));
  auto settings = std::make_shared<OpenSettings>();
  command.add_operand("IN", settings->input, tr("The sealed file, or - for standard input"))->required();
  auto* output =
      command.add_option("-o,--output", settings->output, "OUT",
                         tr("The file or directory to write, or - for standard output (default: IN, no .sealed)"));
  settings->secrets.add_to(command, "", SecretOptions::Use::open);
  const auto take_range = [settings](const Texts& texts) {
    settings->range = texts.back();
    (void)parse_range(settings->range);  // a wrong range is reported first
  };
  auto* range = command.add_option("--range", "RANGE",
                                   tr("Only these bytes of the content, from 0: FIRST-LAST, FIRST- or FIRST+LENGTH"),
                                   false, take_range);
  command.add_flag("--verify", settings->verify, tr("Check everything, write nothing"));
  add_max_iterations_option(command, settings->max_iterations);
  command.add_flag("--outside-links", settings->outside_links,
                   tr("Directories: make symbolic links that lead out of the directory, too"));
  command.add_flag("--preserve-permissions", settings->preserve_permissions,
                   tr("Directories: permissions as they were, whatever umask says (always so for root)"));
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
                       ExitCode::closed_pipe});
  command.action([=] {
    if (settings->quiet) keep_quiet();
    settings->output_given = output->count() > 0;
    settings->range_given = range->count() > 0;
    OpenCommand(*settings).run();
  });
}

}  // namespace vsh::cli
