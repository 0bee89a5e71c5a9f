// `vershina hash`: coreutils' sha256sum for Streebog (and GOST R 34.11-94), with the same behaviour unless stated
// otherwise.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>

#include "programs/common/files/ordered_map.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/option_values.hpp"
#include "programs/common/system/console.hpp"
#include "programs/common/system/contexts.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/commands.hpp"
#include "programs/vershina/commands/list_check.hpp"
#include "programs/vershina/files/file_batches.hpp"
#include "programs/vershina/files/file_walk.hpp"
#include "programs/vershina/text/checksum_line.hpp"
#include "programs/vershina/text/json_rows.hpp"

namespace vsh::cli {
namespace {

struct HashSettings {
  std::vector<std::string> files;  // never empty
  std::optional<vsh_hash_algorithm> algorithm;
  bool check = false;
  bool recursive = false;
  bool json = false;
  bool tag = false;
  bool zero = false;
  char marker = ' ';  // '*' after --binary
  bool constant_time = false;
  bool no_progress = false;
  unsigned threads = 0;
  std::string kernel;
  bool kernel_given = false;
  std::string device = "cpu";

  vsh_options library_options() const;
};

vsh_options HashSettings::library_options() const {
  vsh_options options = VSH_OPTIONS_INIT;
  // Files whose hash is printed are usually public, so the fast kernels may be used.
  if (!constant_time) options.flags |= VSH_INPUT_IS_PUBLIC;
  if (kernel_given) options.kernel = kernel.c_str();
  return options;
}

// Returns the name for options and programs.
const char* option_name(vsh_hash_algorithm algorithm) {
  for (size_t i = 0; const char* const name = vsh_hash_name(i); ++i) {
    vsh_hash_algorithm named{};
    if (vsh_hash_by_name(&named, name) == VSH_OK && named == algorithm) return name;
  }
  return "";
}

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

FileDigest hash_file(const FileToRead& file, vsh_hash_algorithm algorithm, const HashSettings& settings,
                     Progress& progress, const std::atomic<bool>& cancelled) {
  FileDigest digest;
  try {
    const HashContext hash = new_hash(algorithm, settings);
    const auto update = [&](std::span<const uint8_t> piece) {
      vsh_hash_update(hash.get(), piece.data(), piece.size());
    };
    digest.size = feed_file(file, progress, cancelled, update);
    digest.bytes.resize(vsh_hash_len(algorithm));
    const vsh_status status = vsh_hash_final(hash.get(), digest.bytes.data(), digest.bytes.size());
    if (status != VSH_OK) throw engine_failure(status, name_of(algorithm), settings.library_options());
  } catch (const Failure& failure) {
    digest.failure = failure;
  }
  return digest;
}

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

// The regular file that is standard output: a list among the files that it lists could never be right.
std::optional<struct stat> output_file() {
  struct stat status;
  if (::fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status;
}

// Every file under way may have a directory of its own open; 1024 descriptors, the usual limit, are few for 256
// processors.
void allow_more_descriptors() {
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, 16384));
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

void tell_what_was_left_out(const FileWalk& walk) {
  if (const uint64_t count = walk.num_links()) {
    print_error(tr_count(count, "{1} symbolic link was not followed", "{1} symbolic links were not followed"));
  }
  if (const uint64_t count = walk.num_specials()) {
    print_error(
        tr_count(count, "{1} FIFO, socket or device was left out", "{1} FIFOs, sockets or devices were left out"));
  }
  if (!walk.found_output().empty())
    print_error(tr("{1}: is the output, and was left out", quote_name(walk.found_output())));
}

bool hash_files(const HashSettings& settings) {
  const vsh_hash_algorithm algorithm = settings.algorithm.value_or(VSH_STREEBOG256);
  (void)new_hash(algorithm, settings);  // reports a kernel that does not run here once, not for every file
  const bool is_streebog = algorithm == VSH_STREEBOG256 || algorithm == VSH_STREEBOG512;
  // Below directories there may be any number of files.
  const bool batches = wants_batches(settings.device, !is_streebog         ? 0
                                                      : settings.recursive ? kLeastFilesForDevice
                                                                           : settings.files.size());
  FileWalk walk(settings.files, output_file());
  std::function<std::optional<FileToRead>()> next = NamedFiles(settings.files);
  const size_t num_files = settings.recursive ? SIZE_MAX : settings.files.size();
  const unsigned threads = threads_for_files(settings.threads, settings.files, num_files);
  if (settings.recursive) {
    allow_more_descriptors();
    next = [&] { return walk.next(); };
  }
  Progress progress(!settings.no_progress, label_for_files(settings.files),
                    settings.recursive ? std::nullopt : total_size(settings.files));
  std::atomic<bool> cancelled = false;
  bool all_read = true;
  const char end = settings.zero ? '\0' : '\n';
  JsonRows rows;

  const auto show = [&](const std::string& name, const FileDigest& digest) {
    if (digest.failure) {
      print_error(digest.failure->problem());
      all_read = false;
    }
    if (settings.json) {
      JsonObject row;
      add_file(row, name).add("algorithm", option_name(algorithm));
      if (digest.failure) add_error(row, *digest.failure);
      else row.add("digest", encode_hex(digest.bytes)).add("bytes", digest.size);
      return rows.add(row);
    }
    if (digest.failure) return;
    const std::string hex = encode_hex(digest.bytes);
    print(settings.tag ? format_tag_line(algorithm, hex, name, end)
                       : format_checksum_line(hex, name, settings.marker, end));
  };
  const auto work = [&](const FileToRead& file) { return hash_file(file, algorithm, settings, progress, cancelled); };
  const auto take = [&](const FileToRead& file, const FileDigest& digest) {
    try {
      show(file.name, digest);
    } catch (...) {
      cancelled = true;
      throw;
    }
  };
  if (batches) {
    const auto together = [&](std::vector<SmallFile>& files) { hash_together(files, algorithm, settings); };
    in_batches(next, progress, together, work, take);
  } else {
    in_order(threads, next, work, take);
  }
  if (settings.json) rows.finish();
  if (settings.recursive) tell_what_was_left_out(walk);
  return all_read;
}

class HashLists : public ListKind {
 public:
  explicit HashLists(const HashSettings& settings) : settings_(settings) {}

  std::optional<ChecksumLine> parse(std::string_view line, ListForm& form) const override {
    return parse_checksum_line(line, settings_.algorithm, form);
  }
  CheckedFile check(const ChecksumLine& line, Progress& progress, const std::atomic<bool>& cancelled) const override {
    FileDigest digest = hash_file({line.name}, line.algorithm, settings_, progress, cancelled);
    const bool matches = !digest.failure && digest.bytes == line.digest;
    return {matches, digest.size, std::move(digest.bytes), std::move(digest.failure)};
  }
  const char* algorithm_name(const ChecksumLine& line) const override { return option_name(line.algorithm); }

  std::string improper_line() const override { return tr("improperly formatted Streebog checksum line"); }
  std::string no_proper_line() const override { return tr("no properly formatted checksum lines found"); }
  std::string mismatches(uint64_t count) const override {
    return tr_count(count, "WARNING: {1} computed checksum did NOT match",
                    "WARNING: {1} computed checksums did NOT match");
  }
  std::string not_one_matches() const override {
    return tr(
        "not one matches: are they of Streebog? SHA-2 and GOST R 34.11-94 are as long (try sha256sum -c, "
        "sha512sum -c, -a gost94-cryptopro)");
  }

 private:
  const HashSettings& settings_;
};

struct HashFlags {
  Option* algorithm;
  Option* binary;
  Option* text;
};

[[noreturn]] void refuse(const std::string& what) {
  throw Failure(ExitCode::usage, what, tr("see `vershina hash --help`"));
}

// Refuses the same combinations as sha256sum, and those of its own options that mean nothing.
void check_combinations(const HashSettings& settings, const HashFlags& flags) {
  const bool marked = flags.binary->count() + flags.text->count() > 0;
  if (settings.tag && settings.check) refuse(tr("the --tag option is meaningless when verifying checksums"));
  if (settings.tag && flags.text->count() > 0 && settings.marker == ' ')
    refuse(tr("--tag does not support --text mode"));
  if (settings.zero && settings.check) refuse(tr("the --zero option is not supported when verifying checksums"));
  if (marked && settings.check) {
    refuse(tr("the --binary and --text options are meaningless when verifying checksums"));
  }
  if (settings.recursive && settings.check) {
    refuse(tr("the --recursive option is meaningless when verifying checksums"));
  }
  if (settings.json && (marked || settings.tag || settings.zero)) {
    refuse(tr("--json is a format of its own, and excludes --tag, --zero, --binary and --text"));
  }
}

vsh_hash_algorithm algorithm_by_name(const std::string& name) {
  vsh_hash_algorithm algorithm{};
  (void)vsh_hash_by_name(&algorithm, name.c_str());
  return algorithm;
}

constexpr const char* kHashExamples =
    mark(R"(Without FILE, or where FILE is -, standard input is read; with --recursive, the current directory.
--recursive follows only symbolic links that are named, and leaves out FIFOs, sockets and devices; it says
how many.

Examples:
  vershina hash disk.img                        Streebog-256 of a file
  vershina hash -a streebog512 *.iso > SUMS     checksums of several files, in parallel
  vershina hash --check SUMS                    verify them
  vershina hash -r photos/ > SUMS               all files below a directory
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
               tr("streebog256 (default), streebog512; for old signatures gost94-cryptopro, gost94-test"), "HASH")
          ->manual(
              "`streebog256` (the default), `streebog512`, or, only to check old signatures, `gost94-cryptopro` "
              "or `gost94-test`: GOST R 34.11-94 (RFC 5831), which is broken in theory, with the S-boxes of "
              "CryptoPro or of the test examples. With --check only lines of that hash are accepted; without it, "
              "the tag of each line names the hash, or for Streebog its length.");
  command.add_flag("-c,--check", settings->check, tr("Read checksums from FILE (or standard input) and verify them"))
      ->manual(
          "Read lists, and check the files that they name. A byte order mark of UTF-8 before the first line "
          "is left out; a list in UTF-16 is refused.");
  command.add_flag("-r,--recursive", settings->recursive, tr("Hash all files below FILE if it is a directory, sorted"))
      ->manual(
          "For each directory that is named, hash all regular files below it, sorted by the bytes of their "
          "names, which begin with the directory as given, like those of `find DIR -type f`; without FILE, "
          "those below the current directory. Symbolic links below it are not followed; FIFOs, sockets and "
          "devices are left out; their numbers are printed on standard error. If standard output is one of "
          "the files, it is left out. Files that cannot be read are reported, and the rest is hashed.");
  command.add_flag("--json", settings->json, tr("Print a JSON array with an object for each file; with --check too"))
      ->manual(
          "Print an array with an object on a line for each file: `file`, `algorithm`, `digest`, `bytes`; or "
          "`error`, in English in every locale, if it cannot be read. Names that are not UTF-8 have U+FFFD "
          "for each such byte, and the bytes in `file_hex`. With --check an object has `list`, `result` "
          "(`OK`, `FAILED`, `missing`, `unreadable`), `expected`, `digest` and `bytes`; an improperly "
          "formatted line has `list`, `line`, and the result `misformatted`.");
  command.add_flag("--tag", settings->tag, tr("Print `Streebog-256 (NAME) = HEX`, as BSD does"))
      ->manual(
          "Print `Streebog-256 (NAME) = HEX`, `Streebog-512`, `GOST94-CryptoPro` or `GOST94-Test`. --check "
          "reads these lines too, and those of `rhash --bsd` (`GOST12-256 (NAME) = HEX`) and `openssl dgst` "
          "(`md_gost12_256(NAME)= HEX`).");
  command.add_flag("-z,--zero", settings->zero, tr("End lines with NUL, and do not escape names"));
  flags.binary = command.add_flag("-b,--binary", tr("Mark lines with *; reads the same bytes as --text"));
  flags.text = command.add_flag("-t,--text", tr("Mark lines with a space (default)"));
  auto checking = std::make_shared<ListOptions>();
  checking->add_to(command, "--quiet", tr("Checking: do not print OK for every file"));
  add_threads_option(command, settings->threads, tr("Hash up to N files at a time (default: one for each processor)"))
      ->manual(
          "Hash up to N files at a time; by default one for each processor. On a disk with moving heads 1 "
          "may be fastest.");
  auto* kernel = add_kernel_option(command, settings->kernel);
  auto* device = add_device_option(command, settings->device);
  device->describe(tr("Device for many small files: cpu (default), auto, all, cuda:N, opencl:P.D; not for --check"));
  command
      .add_flag("--constant-time", settings->constant_time,
                tr("Treat the data as secret: no table kernels, whose timing depends on it"))
      ->manual(
          "Treat the data as secret. Otherwise the input is taken as public, and table kernels, whose timing "
          "depends on it, may be used.");
  command.add_flag("--no-progress", settings->no_progress, tr("Show no progress bar"));
  command.footer(tr(kHashExamples));

  command.exit_status({ExitCode::ok, {ExitCode::data, tr("any failure")}});
  command.action([=, given = &command] {
    if (settings->files.empty()) settings->files = {settings->recursive ? "." : "-"};
    settings->kernel_given = kernel->count() > 0;
    for (const Option* option : given->given()) {  // the last one counts
      if (option == flags.binary) settings->marker = '*';
      if (option == flags.text) settings->marker = ' ';
    }
    check_combinations(*settings, flags);
    ListSettings lists = checking->read(*given, settings->check);
    if (settings->check && device->count() > 0)
      refuse(tr("the --device option is meaningless when verifying checksums"));
    if (flags.algorithm->count() > 0) settings->algorithm = algorithm_by_name(*algorithm);
    if (!settings->check) return hash_files(*settings) ? ExitCode::ok : ExitCode::data;
    lists.json = settings->json, lists.no_progress = settings->no_progress, lists.threads = settings->threads;
    return check_lists(settings->files, lists, HashLists(*settings)) == ExitCode::ok ? ExitCode::ok : ExitCode::data;
  });
}

}  // namespace vsh::cli
