// Disk images: sector by sector, as dm-crypt and VeraCrypt do it.
#include "encrypt.hpp"
#include "failure.hpp"
#include "library.hpp"
#include "pipeline.hpp"
#include "text.hpp"

namespace vsh::cli {
namespace {

struct SectorOptions {
  size_t sector_len = VSH_SECTOR_UNIT;
  uint64_t first_sector = 0;  // in units of VSH_SECTOR_UNIT
  bool stealing = false;      // the last sector may be short
};

// Cuts a stream into sectors and numbers them.
class SectorStream : public Transform {
 public:
  SectorStream(const vsh_xts* xts, vsh_direction direction, const SectorOptions& options)
      : xts_(xts), encrypts_(direction == VSH_ENCRYPT), options_(options), next_(options.first_sector) {}

  size_t slack() const override { return options_.sector_len; }

  vsh_status update(std::span<uint8_t> out, size_t& out_len, std::span<const uint8_t> in) override {
    out_len = 0;
    if (begun_len_ > 0) {
      const size_t taken = std::min(in.size(), options_.sector_len - begun_len_);
      begin(in.first(taken));
      in = in.subspan(taken);
      if (begun_len_ < options_.sector_len) return VSH_OK;
      begun_len_ = 0;
      if (const vsh_status s = crypt(out, out_len, begun_, 1)) return s;
    }
    const size_t num = in.size() / options_.sector_len;
    if (const vsh_status s = crypt(out, out_len, in, num)) return s;
    begin(in.subspan(num * options_.sector_len));
    return VSH_OK;
  }

  vsh_status final(std::span<uint8_t> out, size_t& out_len) override {
    out_len = begun_len_;
    if (begun_len_ == 0) return VSH_OK;
    if (!options_.stealing) return VSH_E_DATA_LENGTH;
    uint8_t number[VSH_XTS_MIN_UNIT_LEN] = {};
    for (size_t i = 0; i < sizeof next_; ++i) number[i] = static_cast<uint8_t>(next_ >> 8 * i);
    return (encrypts_ ? vsh_xts_encrypt_unit : vsh_xts_decrypt_unit)(xts_, out.data(), begun_.data(), begun_len_, number);
  }

 private:
  void begin(std::span<const uint8_t> in) {
    std::copy(in.begin(), in.end(), begun_.begin() + static_cast<ptrdiff_t>(begun_len_));
    begun_len_ += in.size();
  }

  // The next num sectors, behind the out_len bytes that `out` has already.
  vsh_status crypt(std::span<uint8_t> out, size_t& out_len, std::span<const uint8_t> in, size_t num) {
    if (num == 0) return VSH_OK;
    const auto function = encrypts_ ? vsh_xts_encrypt_sectors : vsh_xts_decrypt_sectors;
    const vsh_status status = function(xts_, out.data() + out_len, in.data(), num, options_.sector_len, next_);
    next_ += num * (options_.sector_len / VSH_SECTOR_UNIT);
    out_len += num * options_.sector_len;
    return status;
  }

  const vsh_xts* xts_;
  const bool encrypts_;
  const SectorOptions options_;
  uint64_t next_;  // the number of the next sector
  std::vector<uint8_t> begun_ = std::vector<uint8_t>(options_.sector_len);
  size_t begun_len_ = 0;  // bytes of a sector that has not come to its end
};

class SectorCommand {
 public:
  SectorCommand(EncryptSettings& settings, const SectorOptions& sectors) : settings_(settings), sectors_(sectors) {
    const std::string& name = settings.cipher_name;
    if (settings.iv_given) {
      throw Failure(ExitCode::usage, name + " takes no IV", "leave out --iv-hex; --first-sector numbers the sectors");
    }
    if (sectors.sector_len % VSH_SECTOR_UNIT != 0) {
      throw Failure(ExitCode::usage, "--sector-size is a multiple of 512, not " + std::to_string(sectors.sector_len));
    }
    const uint64_t step = sectors.sector_len / VSH_SECTOR_UNIT;
    if (sectors.first_sector % step != 0) {
      throw Failure(ExitCode::usage,
                    "--first-sector " + std::to_string(sectors.first_sector) + " lies inside of a sector",
                    "it counts units of 512 bytes: a multiple of " + std::to_string(step) + " where --sector-size is " +
                        std::to_string(sectors.sector_len));
    }
    settings.engine.apply(options_);
  }

  void run() {
    SecretBytes<VSH_XTS_KEY_LEN> key;
    const std::optional<ReadFile> key_file = settings_.key_options.load(key.bytes, settings_.input == "-");
    const XtsContext xts = new_xts(key.bytes);
    InputFile input(settings_.input);
    const auto content = settings_.encrypts() ? OutputFile::Content::binary : OutputFile::Content::any;
    OutputFile output(settings_.output, settings_.force, content, settings_.sources(input, key_file));
    SectorStream stream(xts.get(), settings_.direction, sectors_);
    CipherOutcome outcome;
    {
      Progress progress(settings_.wants_progress(), input.name(), input.remaining_at_open());
      outcome = run_pipeline(input, stream, output, progress);
      if (outcome.status == VSH_OK) output.commit();
    }
    if (outcome.status != VSH_OK) throw data_failure(outcome, input, output);
  }

 private:
  XtsContext new_xts(std::span<const uint8_t> key) const {
    vsh_xts* context = nullptr;
    const vsh_status status = vsh_xts_new(&context, key.data(), key.size(), &options_);
    if (status == VSH_OK) return XtsContext(context);
    if (status == VSH_E_ARGUMENT) {
      throw Failure(ExitCode::usage, "the two halves of the key are the same",
                    settings_.cipher_name + " needs two keys of 32 bytes, one after the other");
    }
    throw engine_failure(status, settings_.cipher_name, options_);
  }

  Failure data_failure(const CipherOutcome& outcome, const InputFile& input, const OutputFile& output) const {
    const std::string warning =
        output.is_direct() && outcome.bytes_in > 0 ? "; do not use what went to " + output.name() : "";
    const std::string begin = input.name() + ": ";
    const size_t rest = outcome.bytes_in % sectors_.sector_len;
    switch (outcome.status) {
      case VSH_E_DATA_LENGTH:
        if (sectors_.stealing) {
          return Failure(ExitCode::data, begin + "the last sector has " + bytes_of(rest) + ", and XTS needs 16",
                         "is the file whole?" + warning);
        }
        return Failure(ExitCode::data,
                       begin + bytes_of(outcome.bytes_in) + ", not a whole number of " +
                           std::to_string(sectors_.sector_len) + "-byte sectors",
                       "is it a disk image, and whole? A short last sector needs --stealing" + warning);
      case VSH_E_LIMIT:
        return Failure(ExitCode::data, begin + "more sectors than there are numbers from --first-sector on",
                       "is it the right number?" + warning);
      default: return engine_failure(outcome.status, settings_.cipher_name, options_);
    }
  }

  EncryptSettings& settings_;
  const SectorOptions& sectors_;
  vsh_options options_ = VSH_OPTIONS_INIT;
};

class DiskModes : public CipherKind {
 public:
  const char* name(size_t i) const override { return i == 0 ? "kuznyechik-xts" : nullptr; }

  void add_options(CLI::App& command) override {
    command.add_option("--sector-size", sectors_.sector_len, "XTS: bytes of a sector, 512 (default) to 4096")
        ->type_name("N")
        ->check(in_range(VSH_SECTOR_UNIT, VSH_MAX_SECTOR_LEN));
    command
        .add_option("--first-sector", sectors_.first_sector,
                    "XTS: number of the first sector, in units of 512 bytes (default 0)")
        ->type_name("N");
    command.add_flag("--stealing", sectors_.stealing, "XTS: the last sector may be short, 16 bytes at least");
  }

  void run(EncryptSettings& settings) override { SectorCommand(settings, sectors_).run(); }

 private:
  SectorOptions sectors_;
};

}  // namespace

std::unique_ptr<CipherKind> disk_modes() { return std::make_unique<DiskModes>(); }

}  // namespace vsh::cli
