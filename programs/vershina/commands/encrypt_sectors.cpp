// Disk images: sector by sector, as in dm-crypt and VeraCrypt.

#include <algorithm>

#include "programs/common/options/option_values.hpp"
#include "programs/common/system/contexts.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/commands/encrypt.hpp"
#include "programs/vershina/files/pipeline.hpp"

namespace vsh::cli {
namespace {

constexpr const char* kXts = "kuznyechik-xts";
constexpr const char* kDec = "kuznyechik-dec-experimental";

struct SectorOptions {
  size_t sector_len = VSH_SECTOR_UNIT;
  uint64_t first_sector = 0;
  bool stealing = false;                                              // XTS: the last sector may be short
  uint64_t partition = 0, partition_counter = 0, sector_counter = 0;  // DEC
};

// A keyed disk mode and its direction.
class SectorCipher {
 public:
  virtual ~SectorCipher() = default;
  // Processes num whole sectors from number `first` on.
  virtual vsh_status crypt(uint8_t* out, const uint8_t* in, size_t num, uint64_t first) = 0;
  // Processes a partial last sector.
  virtual vsh_status crypt_short(uint8_t* out, const uint8_t* in, size_t len, uint64_t number) = 0;
};

class XtsSectors : public SectorCipher {
 public:
  XtsSectors(XtsContext xts, vsh_direction direction, const SectorOptions& options)
      : xts_(std::move(xts)), encrypts_(direction == VSH_ENCRYPT), options_(options) {}

  vsh_status crypt(uint8_t* out, const uint8_t* in, size_t num, uint64_t first) override {
    const auto function = encrypts_ ? vsh_xts_encrypt_sectors : vsh_xts_decrypt_sectors;
    return function(xts_.get(), out, in, num, options_.sector_len, first);
  }

  vsh_status crypt_short(uint8_t* out, const uint8_t* in, size_t len, uint64_t number) override {
    if (!options_.stealing) return VSH_E_DATA_LENGTH;
    uint8_t bytes[VSH_XTS_MIN_UNIT_LEN] = {};
    for (size_t i = 0; i < sizeof number; ++i) bytes[i] = static_cast<uint8_t>(number >> 8 * i);
    return (encrypts_ ? vsh_xts_encrypt_unit : vsh_xts_decrypt_unit)(xts_.get(), out, in, len, bytes);
  }

 private:
  XtsContext xts_;
  const bool encrypts_;
  const SectorOptions& options_;
};

class DecSectors : public SectorCipher {
 public:
  DecSectors(DecContext dec, const SectorOptions& options) : dec_(std::move(dec)), options_(options) {}

  vsh_status crypt(uint8_t* out, const uint8_t* in, size_t num, uint64_t first) override {
    counters_.resize(std::max(counters_.size(), num), options_.sector_counter);
    return vsh_dec_experimental_crypt(dec_.get(), out, in, num, first, counters_.data());
  }

  vsh_status crypt_short(uint8_t*, const uint8_t*, size_t, uint64_t) override { return VSH_E_DATA_LENGTH; }

 private:
  DecContext dec_;
  const SectorOptions& options_;
  std::vector<uint64_t> counters_;  // of one call's sectors: all the same
};

// Cuts a stream into sectors and numbers them.
class SectorStream {
 public:
  // step: the difference between numbers of adjacent sectors.
  SectorStream(SectorCipher& cipher, const SectorOptions& options, uint64_t step)
      : cipher_(cipher), sector_len_(options.sector_len), step_(step), next_(options.first_sector) {}

  // A PipelineStep.
  vsh_status step(std::span<uint8_t> out, size_t& out_len, std::span<const uint8_t> in) {
    if (in.empty()) return end(out, out_len);
    if (begun_len_ > 0) {
      const size_t taken = std::min(in.size(), sector_len_ - begun_len_);
      begin(in.first(taken));
      in = in.subspan(taken);
      if (begun_len_ < sector_len_) return VSH_OK;
      begun_len_ = 0;
      if (const vsh_status s = crypt(out, out_len, begun_, 1)) return s;
    }
    const size_t num = in.size() / sector_len_;
    if (const vsh_status s = crypt(out, out_len, in, num)) return s;
    begin(in.subspan(num * sector_len_));
    return VSH_OK;
  }

 private:
  vsh_status end(std::span<uint8_t> out, size_t& out_len) {
    out_len = begun_len_;
    return begun_len_ == 0 ? VSH_OK : cipher_.crypt_short(out.data(), begun_.data(), begun_len_, next_);
  }

  void begin(std::span<const uint8_t> in) {
    std::copy(in.begin(), in.end(), begun_.begin() + static_cast<ptrdiff_t>(begun_len_));
    begun_len_ += in.size();
  }

  // Processes the next num sectors; writes after the out_len bytes already in `out`.
  vsh_status crypt(std::span<uint8_t> out, size_t& out_len, std::span<const uint8_t> in, size_t num) {
    if (num == 0) return VSH_OK;
    if (wrapped_) return VSH_E_LIMIT;
    const vsh_status status = cipher_.crypt(out.data() + out_len, in.data(), num, next_);
    wrapped_ = num > (UINT64_MAX - next_) / step_;
    next_ += num * step_;
    out_len += num * sector_len_;
    return status;
  }

  SectorCipher& cipher_;
  const size_t sector_len_;
  const uint64_t step_;
  uint64_t next_;         // the number of the next sector
  bool wrapped_ = false;  // there is no such number
  std::vector<uint8_t> begun_ = std::vector<uint8_t>(sector_len_);
  size_t begun_len_ = 0;  // bytes of an incomplete sector
};

class SectorCommand {
 public:
  SectorCommand(EncryptSettings& settings, const SectorOptions& sectors)
      : settings_(settings), sectors_(sectors), is_xts_(settings.cipher_name == kXts) {
    const std::string& name = settings.cipher_name;
    if (settings.iv.given()) {
      throw Failure(ExitCode::usage, tr("{1} takes no IV", name),
                    tr("leave out {1}; --first-sector numbers the sectors", settings.iv.option()));
    }
    const std::string len = std::to_string(sectors.sector_len);
    if (is_xts_ && sectors.first_sector % step() != 0) {
      throw Failure(ExitCode::usage, tr("--first-sector {1} lies inside of a sector", sectors.first_sector),
                    tr("it counts units of 512 bytes: a multiple of {1} where --sector-size is {2}", step(), len));
    }
    settings.key_changes.apply(options_);
    settings.engine.apply(options_);
  }

  void run() {
    std::optional<ReadFile> key_file;
    const std::unique_ptr<SectorCipher> cipher = is_xts_ ? new_xts(key_file) : new_dec(key_file);
    InputFile input(settings_.input);
    const auto content = settings_.encrypts() ? OutputFile::Content::binary : OutputFile::Content::any;
    OutputFile output(settings_.output, settings_.force, content, settings_.sources(input, key_file));
    output.take_after(input, !settings_.encrypts());
    SectorStream stream(*cipher, sectors_, step());
    CipherOutcome outcome;
    {
      Progress progress(settings_.wants_progress(), input.name(), input.remaining_at_open());
      const auto step = [&](auto out, size_t& len, auto in) { return stream.step(out, len, in); };
      outcome = run_pipeline(input, step, output, progress, pieces_for(options_.device, input), sectors_.sector_len);
      if (outcome.status == VSH_OK) output.commit();
    }
    if (outcome.status != VSH_OK) throw data_failure(outcome, input, output);
  }

 private:
  // XTS numbers sectors by the units of 512 bytes before them, DEC consecutively.
  uint64_t step() const { return is_xts_ ? sectors_.sector_len / VSH_SECTOR_UNIT : 1; }

  std::unique_ptr<SectorCipher> new_xts(std::optional<ReadFile>& key_file) const {
    SecretBytes<VSH_XTS_KEY_LEN> key;
    key_file = settings_.key_options.load(key.bytes, settings_.input == "-");
    vsh_xts* context = nullptr;
    const vsh_status status = vsh_xts_new(&context, key.bytes, sizeof key.bytes, &options_);
    if (status == VSH_OK) return std::make_unique<XtsSectors>(XtsContext(context), settings_.direction, sectors_);
    if (status == VSH_E_ARGUMENT) {
      throw Failure(ExitCode::usage, tr("the two halves of the key are the same"),
                    tr("{1} needs two keys of 32 bytes, one after the other", settings_.cipher_name));
    }
    throw options_failure(status);
  }

  std::unique_ptr<SectorCipher> new_dec(std::optional<ReadFile>& key_file) {
    SecretBytes<VSH_KEY_LEN> key;
    key_file = settings_.key_options.load(key.bytes, settings_.input == "-");
    options_.flags |= VSH_ALLOW_EXPERIMENTAL;  // stated in the cipher's name
    vsh_dec_experimental* context = nullptr;
    const vsh_status status = vsh_dec_experimental_new(&context, key.bytes, sizeof key.bytes, sectors_.partition,
                                                       sectors_.partition_counter, sectors_.sector_len, &options_);
    if (status == VSH_OK) return std::make_unique<DecSectors>(DecContext(context), sectors_);
    if (status == VSH_E_SECTOR) {
      throw Failure(ExitCode::usage, tr("{1} has sectors of 512, 1024, 2048 or 4096 bytes, not {2}",
                                        settings_.cipher_name, sectors_.sector_len));
    }
    throw options_failure(status);
  }

  Failure options_failure(vsh_status status) const {
    const std::string& name = settings_.cipher_name;
    return status == VSH_E_SECTION ? section_failure(name, vsh_block_len(VSH_KUZNYECHIK), options_)
                                   : engine_failure(status, name, options_);
  }

  Failure data_failure(const CipherOutcome& outcome, const InputFile& input, const OutputFile& output) const {
    const std::string warning =
        output.is_direct() && outcome.bytes_out > 0 ? "; " + tr("do not use what went to {1}", output.name()) : "";
    const std::string& name = input.name();
    const size_t rest = outcome.bytes_in % sectors_.sector_len;
    switch (outcome.status) {
      case VSH_E_DATA_LENGTH:
        if (is_xts_ && sectors_.stealing) {
          return Failure(ExitCode::data, tr("{1}: the last sector has {2}, and XTS needs 16", name, bytes_of(rest)),
                         tr("the file may be cut off") + warning);
        }
        return Failure(ExitCode::data,
                       tr("{1}: {2}, not a whole number of {3}-byte sectors", name, bytes_of(outcome.bytes_in),
                          sectors_.sector_len),
                       (is_xts_ ? tr("this is not a disk image or was cut off; a short last sector needs --stealing")
                                : tr("this is not a disk image or was cut off")) +
                           warning);
      case VSH_E_LIMIT:
        return Failure(ExitCode::data,
                       is_xts_ ? tr("{1}: more sectors than there are numbers from --first-sector on", name)
                               : tr("{1}: --sector-counter or the last sector's number is too large", name),
                       tr("give a smaller number") + warning);
      default: return engine_failure(outcome.status, settings_.cipher_name, options_);
    }
  }

  EncryptSettings& settings_;
  const SectorOptions& sectors_;
  const bool is_xts_;
  vsh_options options_ = VSH_OPTIONS_INIT;
};

const char* disk_mode_name(size_t i) { return i == 0 ? kXts : i == 1 ? kDec : nullptr; }

std::function<void(EncryptSettings&)> add_sector_options(Command& command) {
  const auto sectors = std::make_shared<SectorOptions>();
  add_number(command, "--sector-size", sectors->sector_len,
             {.min = VSH_SECTOR_UNIT, .max = VSH_MAX_SECTOR_LEN, .is_size = true, .multiple_of = VSH_SECTOR_UNIT},
             tr("XTS, DEC: bytes of a sector, 512 (default) to 4096"))
      ->manual(
          "XTS: bytes of a sector, 512 (the default) to 4096, a multiple of 512. The data must be whole "
          "sectors.");
  add_number(command, "--first-sector", sectors->first_sector, {},
             tr("XTS: units of 512 bytes before the first sector; DEC: its number in the partition (default 0)"))
      ->manual(
          "The number of the first sector, 0 by default. XTS counts units of 512 bytes even for longer sectors, as "
          "Linux does.");
  const std::vector<const Option*> of_xts = {
      command.add_flag("--stealing", sectors->stealing, tr("XTS: the last sector may be short, 16 bytes at least"))
          ->manual("XTS: the last sector may be short, at least 16 bytes; it ends with ciphertext stealing.")};
  const std::vector<const Option*> of_dec = {
      add_number(command, "--partition", sectors->partition, {}, tr("DEC: number of the partition (default 0)")),
      add_number(command, "--partition-counter", sectors->partition_counter, {},
                 tr("DEC: the partition's counter (default 0)")),
      add_number(command, "--sector-counter", sectors->sector_counter, {},
                 tr("DEC: the counter of all sectors (default 0)"))};
  return [=](EncryptSettings& settings) {
    refuse_options(settings.cipher_name == kXts ? of_dec : of_xts, settings.cipher_name);
    SectorCommand(settings, *sectors).run();
  };
}

}  // namespace

const CipherKind kDiskModes = {disk_mode_name, add_sector_options};

}  // namespace vsh::cli
