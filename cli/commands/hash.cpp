// `vershina hash`: coreutils' sha256sum for Streebog (and GOST R 34.11-94), with the same behaviour unless stated
// otherwise.
#include <memory>
#include <thread>

#include "cli/commands/commands.hpp"
#include "cli/commands/hash.hpp"
#include "cli/files/file_batches.hpp"
#include "cli/files/ordered_map.hpp"
#include "cli/options/engine_options.hpp"
#include "cli/options/option_values.hpp"
#include "cli/system/console.hpp"
#include "cli/system/contexts.hpp"
#include "cli/text/checksum_line.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/hex.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

namespace vsh::cli {

vsh_options HashSettings::library_options() const {
  vsh_options options = VSH_OPTIONS_INIT;
  // Files whose hash is printed are usually public, so the fast kernels may be used.
  if (!constant_time) options.flags |= VSH_INPUT_IS_PUBLIC;
  if (kernel_given) options.kernel = kernel.c_str();
  return options;
}

namespace {

// Returns the name for messages.
std::string name_of(vsh_hash_algorithm algorithm) {
  return algorithm == VSH_STREEBOG256 || algorithm == VSH_STREEBOG512 ? "Streebog" : "GOST R 34.11-94";
}

HashContext new_hash(vsh_hash_algorithm algorithm, const HashSettings& settings) {
  const vsh_options options = settings.library_options();
  vsh_hash* context = nullptr;
  const vsh_status status = vsh_hash_new(&context, algorithm, &options);
  if (status == VSH_E_KERNEL_TABLES) {
    throw Failure(ExitCode::kernel, tr("kernel tables: its timing depends on the data"),
                  tr("leave out --constant-time"));
  }
  if (status != VSH_OK) throw engine_failure(status, name_of(algorithm), options);
  return HashContext(context);
}

}  // namespace

FileDigest hash_file(const std::string& name, vsh_hash_algorithm algorithm, const HashSettings& settings,
                     Progress& progress, const std::atomic<bool>& cancelled) {
  FileDigest digest;
  try {
    const HashContext hash = new_hash(algorithm, settings);
    feed_file(name, progress, cancelled,
              [&](std::span<const uint8_t> piece) { vsh_hash_update(hash.get(), piece.data(), piece.size()); });
    digest.bytes.resize(vsh_hash_len(algorithm));
    const vsh_status status = vsh_hash_final(hash.get(), digest.bytes.data(), digest.bytes.size());
    if (status != VSH_OK) throw engine_failure(status, name_of(algorithm), settings.library_options());
  } catch (const Failure& failure) {
    digest.failure = failure;
  }
  return digest;
}

namespace {

// Hashes files that were read, on devices and the processor, as divided by the library.
void hash_together(std::vector<SmallFile>& files, vsh_hash_algorithm algorithm, const HashSettings& settings) {
  std::vector<vsh_hash_job> jobs;
  for (SmallFile& file : files) {
    if (file.digest.failure) continue;
    file.digest.bytes.resize(vsh_hash_len(algorithm));
    jobs.push_back({file.bytes.data(), file.bytes.size(), file.digest.bytes.data(), file.digest.bytes.size(), VSH_OK});
  }
  vsh_options options = settings.library_options();
  options.threads = settings.threads;
  options.device = settings.device.c_str();
  const vsh_status status = vsh_streams_hash(algorithm, jobs.data(), jobs.size(), &options);
  if (status != VSH_OK) throw engine_failure(status, name_of(algorithm), options);
}

bool hash_files(const HashSettings& settings) {
  const vsh_hash_algorithm algorithm = settings.algorithm.value_or(VSH_STREEBOG256);
  (void)new_hash(algorithm, settings);  // reports a kernel that does not run here once, not for every file
  Progress progress(!settings.no_progress, label_for_files(settings.files), total_size(settings.files));
  std::atomic<bool> cancelled = false;
  bool all_read = true;
  const char end = settings.zero ? '\0' : '\n';

  const auto work = [&](const std::string& name) { return hash_file(name, algorithm, settings, progress, cancelled); };
  const auto take = [&](const std::string& name, const FileDigest& digest) {
    if (digest.failure) {
      print_error(digest.failure->problem());
      all_read = false;
      return;
    }
    const std::string hex = encode_hex(digest.bytes);
    try {
      print(settings.tag ? format_tag_line(algorithm, hex, name, end)
                         : format_checksum_line(hex, name, settings.marker, end));
    } catch (...) {
      cancelled = true;
      throw;
    }
  };
  const bool is_streebog = algorithm == VSH_STREEBOG256 || algorithm == VSH_STREEBOG512;
  if (wants_batches(settings.device, is_streebog ? settings.files.size() : 0)) {
    const auto together = [&](std::vector<SmallFile>& files) { hash_together(files, algorithm, settings); };
    in_batches(settings.files, progress, together, work, take);
  } else {
    in_order(threads_for_files(settings.threads, settings.files), NextName(settings.files), work, take);
  }
  return all_read;
}

struct HashFlags {
  Option* algorithm;
  Option* binary;
  Option* text;
  Option* quiet;
  Option* status;
  Option* warn;
};

// Of the flags that contradict each other, the last one counts.
void apply_in_order(const std::vector<const Option*>& order, const HashFlags& flags, HashSettings& settings) {
  for (const Option* option : order) {
    if (option == flags.binary) settings.marker = '*';
    if (option == flags.text) settings.marker = ' ';
    if (option == flags.quiet || option == flags.status || option == flags.warn) {
      settings.quiet = option == flags.quiet;
      settings.status = option == flags.status;
      settings.warn = option == flags.warn;
    }
  }
}

[[noreturn]] void refuse(const std::string& what) { throw Failure(ExitCode::usage, what, see_help("vershina hash")); }

// Refuses the same combinations as sha256sum.
void check_combinations(const HashSettings& settings, const HashFlags& flags) {
  const bool marked = flags.binary->count() + flags.text->count() > 0;
  if (settings.tag && settings.check) refuse(tr("the --tag option is meaningless when verifying checksums"));
  if (settings.tag && flags.text->count() > 0 && settings.marker == ' ')
    refuse(tr("--tag does not support --text mode"));
  if (settings.zero && settings.check) refuse(tr("the --zero option is not supported when verifying checksums"));
  if (marked && settings.check) {
    refuse(tr("the --binary and --text options are meaningless when verifying checksums"));
  }
  const std::pair<bool, const char*> only_checking[] = {{settings.ignore_missing, "--ignore-missing"},
                                                        {settings.status, "--status"},
                                                        {settings.warn, "--warn"},
                                                        {settings.quiet, "--quiet"},
                                                        {settings.strict, "--strict"}};
  for (const auto& [given, name] : only_checking) {
    if (given && !settings.check) {
      refuse(tr("the {1} option is meaningful only when verifying checksums", name));
    }
  }
}

vsh_hash_algorithm algorithm_by_name(const std::string& name) {
  vsh_hash_algorithm algorithm{};
  (void)vsh_hash_by_name(&algorithm, name.c_str());
  return algorithm;
}

constexpr const char* kExamples = mark(R"(Without FILE, or where FILE is -, standard input is read.

Examples:
  vershina hash disk.img                        Streebog-256 of a file
  vershina hash -a streebog512 *.iso > SUMS     checksums of several files, in parallel
  vershina hash --check SUMS                    verify them
  tar c dir | vershina hash -a streebog512      a stream)");

}  // namespace

void add_hash_command(Program& program) {
  Command& command = program.add_command("hash", tr("Print or check Streebog checksums (GOST R 34.11-2012)"));
  auto settings = std::make_shared<HashSettings>();
  auto algorithm = std::make_shared<std::string>();
  HashFlags flags{};

  command.add_operand("FILE", settings->files, tr("Files to hash; with --check, lists of checksums"));
  flags.algorithm =
      add_name(command, "-a,--algorithm", *algorithm, one_of(mark("hash"), vsh_hash_name),
               tr("streebog256 (default), streebog512; for old signatures gost94-cryptopro, gost94-test"), "HASH");
  command.add_flag("-c,--check", settings->check, tr("Read checksums from FILE (or standard input) and verify them"));
  command.add_flag("--tag", settings->tag, tr("Print `Streebog-256 (NAME) = HEX`, as BSD does"));
  command.add_flag("-z,--zero", settings->zero, tr("End lines with NUL, and do not escape names"));
  flags.binary = command.add_flag("-b,--binary", tr("Mark lines with *; reads the same bytes as --text"));
  flags.text = command.add_flag("-t,--text", tr("Mark lines with a space (default)"));
  command.add_flag("--ignore-missing", settings->ignore_missing, tr("Checking: do not fail for missing files"));
  flags.quiet = command.add_flag("--quiet", tr("Checking: do not print OK for every file"));
  flags.status = command.add_flag("--status", tr("Checking: print nothing; report only through the exit status"));
  command.add_flag("--strict", settings->strict, tr("Checking: fail for improperly formatted lines"));
  flags.warn = command.add_flag("-w,--warn", tr("Checking: name improperly formatted lines"));
  add_threads_option(command, settings->threads, tr("Hash up to N files at a time (default: one for each processor)"));
  auto* kernel = add_kernel_option(command, settings->kernel);
  auto* device = add_device_option(command, settings->device);
  device->describe(tr("Device for many small files: cpu (default), auto, all, cuda:N, opencl:P.D; not for --check"));
  command.add_flag("--constant-time", settings->constant_time,
                   tr("Treat the data as secret: no table kernels, whose timing depends on it"));
  command.add_flag("--no-progress", settings->no_progress, tr("Show no progress bar"));
  command.footer(tr(kExamples));

  command.exit_status({{ExitCode::ok, tr("when all went well")}, {ExitCode::data, tr("otherwise")}});
  command.action([=, given = &command] {
    if (settings->files.empty()) settings->files = {"-"};
    settings->kernel_given = kernel->count() > 0;
    apply_in_order(given->given(), flags, *settings);
    check_combinations(*settings, flags);
    if (settings->check && device->count() > 0)
      refuse(tr("the --device option is meaningless when verifying checksums"));
    if (flags.algorithm->count() > 0) settings->algorithm = algorithm_by_name(*algorithm);
    const bool good = settings->check ? check_lists(*settings) : hash_files(*settings);
    return good ? ExitCode::ok : ExitCode::data;
  });
}

}  // namespace vsh::cli
