// `vershina mac`: message authentication codes of files, and their verification.
#include <algorithm>
#include <memory>

#include "programs/common/files/ordered_map.hpp"
#include "programs/common/options/engine_options.hpp"
#include "programs/common/options/key_file.hpp"
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
#include "programs/vershina/files/file_digest.hpp"
#include "programs/vershina/options/key_changes.hpp"
#include "programs/vershina/text/checksum_line.hpp"
#include "programs/vershina/text/json_rows.hpp"

namespace vsh::cli {
namespace {

struct MacSettings {
  std::vector<std::string> files;
  std::string algorithm_name;
  std::vector<uint8_t> expected;
  unsigned length = 0;
  bool check = false;
  bool verify = false;
  bool json = false;
  bool quiet = false;
  bool no_progress = false;
  KeyOptions key_options;
  KeyChangeOptions key_changes;
  CipherOptions engine;
};

class MacCommand : public ListKind {
 public:
  explicit MacCommand(MacSettings& settings) : settings_(settings), verify_(settings.verify) {
    (void)vsh_mac_by_name(&algorithm_, settings.algorithm_name.c_str());
    read_length();
    settings.key_changes.apply(options_);
    settings.engine.apply(options_);
    // Threads process whole files; one file cannot be divided.
    threads_ = threads_for_files(options_.threads, settings.files);
    list_threads_ = options_.threads;
    options_.threads = 1;
    device_ = options_.device;
    options_.device = nullptr;  // of a single message
    batches_ = wants_batches(device_, has_batches() ? settings.files.size() : 0);
    const bool stdin_is_data = std::find(settings.files.begin(), settings.files.end(), "-") != settings.files.end();
    load_key(stdin_is_data);
    (void)new_mac();  // reports a wrong key or kernel once, not for every file
  }

  ExitCode run() {
    Progress progress(!settings_.no_progress && !settings_.quiet, label_for_files(settings_.files),
                      total_size(settings_.files));
    std::atomic<bool> cancelled = false;
    ExitCode result = ExitCode::ok;
    JsonRows rows;
    const auto work = [&](const FileToRead& file) { return mac_file(file, expected_, progress, cancelled); };
    const auto take = [&](const FileToRead& file, const MacResult& mac) {
      try {
        const ExitCode code = take_result(file.name, mac);
        if (settings_.json) rows.add(row(file.name, mac));
        if (code != ExitCode::ok) result = code;
      } catch (...) {
        cancelled = true;
        throw;
      }
    };
    if (batches_) {
      const auto together = [&](std::vector<SmallFile>& files) { mac_together(files); };
      in_batches(NamedFiles(settings_.files), progress, together, work, [&](const FileToRead& file, const auto& mac) {
        if constexpr (std::is_same_v<std::decay_t<decltype(mac)>, MacResult>) take(file, mac);
        else take(file, MacResult{mac});
      });
    } else {
      in_order(threads_, NamedFiles(settings_.files), work, take);
    }
    if (settings_.json) rows.finish();
    return result;
  }

  ExitCode check(ListSettings lists) {
    lists.json = settings_.json;
    lists.no_progress = settings_.no_progress;
    lists.threads = list_threads_;
    return check_lists(settings_.files, lists, *this);
  }

  // Lists of MACs.
  std::optional<ChecksumLine> parse(std::string_view line, ListForm&) const override {
    return parse_mac_line(line, length_);
  }
  CheckedFile check(const ChecksumLine& line, Progress& progress, const std::atomic<bool>& cancelled) const override {
    const MacResult mac = mac_file({line.name}, line.digest, progress, cancelled);
    return {mac.verified, mac.tag.size, {}, mac.tag.failure};
  }
  const char* algorithm_name(const ChecksumLine&) const override { return settings_.algorithm_name.c_str(); }
  bool stdin_is_taken() const override { return settings_.key_options.reads_stdin(); }
  std::string improper_line() const override { return tr("improperly formatted MAC line"); }
  std::string no_proper_line() const override {
    return tr("no properly formatted MAC lines found: with this --algorithm and --length one has {1}",
              digits_of(2 * length_));
  }
  std::string mismatches(uint64_t count) const override {
    return tr_count(count, "WARNING: {1} computed MAC did NOT match", "WARNING: {1} computed MACs did NOT match");
  }
  std::string not_one_matches() const override {
    return tr("not one matches: probably a wrong key, algorithm or --sbox");
  }

 private:
  struct MacResult {
    FileDigest tag;
    bool verified = false;
  };

  // HMAC accepts a key of any length, the others one of 32 bytes.
  void load_key(bool stdin_is_data) {
    if (algorithm_ == VSH_HMAC_STREEBOG256 || algorithm_ == VSH_HMAC_STREEBOG512) {
      settings_.key_options.load(long_key_, stdin_is_data);
      key_ = long_key_.secret.bytes();
    } else {
      settings_.key_options.load(cipher_key_, stdin_is_data);
      key_ = cipher_key_.secret.bytes;
    }
  }

  void read_length() {
    const size_t max = vsh_mac_max_len(algorithm_);
    // RFC 5830 clause 8: 32 bits are usual for the imitovstavka; the others have their full length.
    const size_t usual = algorithm_ == VSH_GOST28147_IMIT ? 4 : max;
    length_ = settings_.length == 0 ? usual : settings_.length;
    if (length_ > max) {
      throw Failure(ExitCode::usage,
                    tr("{1} has at most {2}, not {3}", settings_.algorithm_name, bytes_of(max), length_),
                    tr("--length counts bytes"));
    }
    if (!verify_) return;
    expected_ = settings_.expected;
    if (expected_.size() != length_) {
      throw Failure(ExitCode::usage, tr("--verify needs {1}", digits_of(2 * length_)),
                    tr("for a shorter tag, give its --length too"));
    }
  }

  MacContext new_mac() const {
    vsh_mac* context = nullptr;
    const vsh_status status = vsh_mac_new(&context, algorithm_, key_.data(), key_.size(), &options_);
    if (status == VSH_E_SECTION) {
      // A tag is a block at most.
      throw section_failure(settings_.algorithm_name, vsh_mac_max_len(algorithm_), options_);
    }
    if (status != VSH_OK) throw engine_failure(status, settings_.algorithm_name, options_);
    return MacContext(context);
  }

  // expected: with verify_ or for a list.
  MacResult mac_file(const FileToRead& file, std::span<const uint8_t> expected, Progress& progress,
                     const std::atomic<bool>& cancelled) const {
    MacResult result;
    try {
      const MacContext mac = new_mac();
      result.tag.size = feed_file(file, progress, cancelled, [&](std::span<const uint8_t> piece) {
        const vsh_status status = vsh_mac_update(mac.get(), piece.data(), piece.size());
        if (status != VSH_OK) throw engine_failure(status, settings_.algorithm_name, options_);
      });
      vsh_status status;
      if (!expected.empty()) {
        status = vsh_mac_verify(mac.get(), expected.data(), expected.size());
        result.verified = status == VSH_OK;
        if (status == VSH_E_TAG) status = VSH_OK;
      } else {
        result.tag.bytes.resize(length_);
        status = vsh_mac_final(mac.get(), result.tag.bytes.data(), length_);
      }
      if (status != VSH_OK) throw engine_failure(status, settings_.algorithm_name, options_);
    } catch (const Failure& failure) {
      result.tag.failure = failure;
    }
    return result;
  }

  // Returns true for MACs of a cipher under one key, without sections.
  bool has_batches() const {
    return (algorithm_ == VSH_KUZNYECHIK_MAC || algorithm_ == VSH_MAGMA_MAC || algorithm_ == VSH_GOST28147_IMIT) &&
           options_.key_meshing == VSH_MESHING_NONE && !verify_ && !settings_.check;
  }

  // Computes MACs of files that were read, on devices and the processor, as divided by the library.
  void mac_together(std::vector<SmallFile>& files) const {
    vsh_options options = options_;
    options.threads = threads_;
    options.device = device_.c_str();
    vsh_streams* made = nullptr;
    const vsh_cipher_algorithm cipher = algorithm_ == VSH_KUZNYECHIK_MAC ? VSH_KUZNYECHIK
                                        : algorithm_ == VSH_MAGMA_MAC    ? VSH_MAGMA
                                                                         : VSH_GOST28147;
    vsh_status status = vsh_streams_new(&made, cipher, key_.data(), 1, &options);
    const std::unique_ptr<vsh_streams, decltype(&vsh_streams_free)> streams(made, vsh_streams_free);
    std::vector<vsh_stream_job> jobs;
    for (SmallFile& file : files) {
      if (file.digest.failure) continue;
      file.digest.bytes.resize(length_);
      vsh_stream_job job{};
      job.work = VSH_STREAM_MAC, job.mode = VSH_ECB;
      job.in = file.bytes.data(), job.in_len = file.bytes.size();
      job.out = file.digest.bytes.data(), job.out_len = length_;
      jobs.push_back(job);
    }
    if (status == VSH_OK) status = vsh_streams_run(streams.get(), jobs.data(), jobs.size());
    if (status != VSH_OK) throw engine_failure(status, settings_.algorithm_name, options);
  }

  ExitCode take_result(const std::string& name, const MacResult& mac) const {
    if (mac.tag.failure) {
      print_error(mac.tag.failure->what());
      return mac.tag.failure->code();
    }
    if (!verify_) {
      if (settings_.json) return ExitCode::ok;
      print(format_checksum_line(encode_hex(mac.tag.bytes), name, ' ', '\n'));
      return ExitCode::ok;
    }
    if (!mac.verified) {
      print_error(tr("{1}: the MAC does not match: the file was changed, or the key, the algorithm or --sbox is wrong",
                     quote_name(name)));
      return ExitCode::data;
    }
    if (!settings_.quiet && !settings_.json) print(escape_for_result(name) + ": OK\n");
    return ExitCode::ok;
  }

  JsonObject row(const std::string& name, const MacResult& mac) const {
    JsonObject row;
    add_file(row, name).add("algorithm", settings_.algorithm_name);
    if (mac.tag.failure) return add_error(row, *mac.tag.failure);
    if (verify_) row.add("result", mac.verified ? "OK" : "FAILED");
    else row.add("mac", encode_hex(mac.tag.bytes));
    return row.add("bytes", mac.tag.size);
  }

  MacSettings& settings_;
  const bool verify_;
  vsh_mac_algorithm algorithm_{};
  vsh_options options_ = VSH_OPTIONS_INIT;
  unsigned threads_ = 1, list_threads_ = 0;
  std::string device_;
  bool batches_ = false;  // many small files at a time
  size_t length_ = 0;
  std::vector<uint8_t> expected_;
  Key cipher_key_;
  LongKey long_key_;
  std::span<const uint8_t> key_;  // one of them
};

constexpr const char* kMacExamples = mark(R"(Without FILE, or where FILE is -, standard input is read.
--check needs the same key and options as the list was made with, --length too. A list protects its files,
not itself: anyone who can write to it can leave out lines, or exchange two files together with their lines.

Examples:
  vershina mac -a kuznyechik-mac --key-file k.bin letter.txt
  vershina mac -a magma-mac --length 4 --key-file k.bin *.dat > MACS
  vershina mac -a magma-mac --length 4 --key-file k.bin --check MACS
  vershina mac -a hmac-streebog256 --key-file secret.bin --key-format raw letter.txt
  vershina mac -a gost28147-imit --sbox cryptopro-a --key-file k.bin --verify 2c47b1d3 letter.txt)");

}  // namespace

void add_mac_command(Program& program) {
  Command& command = program.add_command("mac", tr("Print or verify message authentication codes"));
  auto settings = std::make_shared<MacSettings>();
  command.add_operand("FILE", settings->files, tr("Files to authenticate; with --check, lists of MACs"));
  add_name(command, "-a,--algorithm", settings->algorithm_name, one_of(mark("MAC"), vsh_mac_name),
           list_names(vsh_mac_name), "MAC")
      ->manual(
          "`kuznyechik-mac` or `magma-mac` (GOST R 34.13-2015 clause 5.6), `gost28147-imit` (the "
          "imitovstavka of GOST 28147-89, 16 rounds; an empty message counts as two blocks of zeros), "
          "`kuznyechik-omac-acpkm`, `magma-omac-acpkm` (RFC 8645 section 6.3.6, R 1323565.1.017-2018), or "
          "`hmac-streebog256` or `hmac-streebog512` (RFC 7836 4.1).")
      ->required();
  settings->key_options.add_to(command);
  add_number(command, "--length", settings->length, {.min = 1, .max = 64},
             tr("Bytes of the tag (default: all that there are, and 4 for gost28147-imit)"))
      ->manual(
          "Bytes of the tag: by default the full length, but 4 for `gost28147-imit`. A shorter tag is the "
          "beginning of the longer one.");
  auto* verify =
      add_hex(command, "--verify", settings->expected, tr("Compare with this tag, in constant time"))
          ->manual(
              "Compare the tag of one file with this one, in constant time, and print `NAME: OK` or fail with 1. "
              "It must have the length given by --length.");
  auto* check =
      command
          .add_flag("-c,--check", settings->check,
                    tr("Read lists that this command printed from FILE (or standard input), and verify them"))
          ->manual(
              "Read lists that this command printed, and verify the files that they name; the results are "
              "printed as by vershina-hash(1). Lines do not name the algorithm: key, algorithm and options, also "
              "--length, must be those with which the list was made, and lines with MACs of another length are "
              "improper. MACs are compared in constant time. A list protects its files, not itself: anyone "
              "who can write to it can remove lines, or exchange two files together with their lines.");
  check->excludes(verify);
  command.add_flag("--json", settings->json, tr("Print a JSON array with an object for each file"))
      ->manual(
          "Print an array with an object on a line for each file: `file`, `algorithm`, `mac`, `bytes`; or "
          "`error`. With --verify and --check there is `result` instead of `mac`; the rest is as in "
          "vershina-hash(1).");
  settings->key_changes.add_to(command, "4096");
  settings->key_changes.add_master_section_to(command);
  settings->engine.add_to(command);
  auto checking = std::make_shared<ListOptions>();
  checking->add_to(command, "-q,--quiet", tr("No progress bar, and no OK from --verify and --check"));
  command.add_flag("--no-progress", settings->no_progress, tr("Show no progress bar"));
  command.footer(tr(kMacExamples));

  command.exit_status({ExitCode::ok,
                       {ExitCode::data, tr("--verify or --check fails, also for a listed file that cannot be read")},
                       ExitCode::usage,
                       ExitCode::input,
                       ExitCode::kernel,
                       ExitCode::device});
  command.action([=, given = &command] {
    if (settings->files.empty()) settings->files = {"-"};
    const ListSettings lists = checking->read(*given, settings->check);
    settings->quiet = lists.quiet;
    if (settings->check && given->find("--device")->count() > 0) {
      throw Failure(ExitCode::usage, tr("the --device option is meaningless with --check"), tr("leave it out"));
    }
    settings->verify = verify->count() > 0;
    if (settings->verify && settings->files.size() != 1) {
      throw Failure(ExitCode::usage, tr("--verify takes one file"), tr("call it once for each"));
    }
    MacCommand mac(*settings);
    return settings->check ? mac.check(lists) : mac.run();
  });
}

}  // namespace vsh::cli
