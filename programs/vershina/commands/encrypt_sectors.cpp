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

struct SectorOptions {
  size_t sector_len = VSH_SECTOR_UNIT;
  uint64_t first_sector = 0;
  bool stealing = false;  // the last sector may be short
};

// XTS with its keys, in one direction.
class SectorCipher {
 public:
  SectorCipher(XtsContext xts, vsh_direction direction, const SectorOptions& options)
      : xts_(std::move(xts)), encrypts_(direction == VSH_ENCRYPT), options_(options) {}

  // Processes num whole sectors from number `first` on.
  vsh_status crypt(uint8_t* out, const uint8_t* in, size_t num, uint64_t first) const {
    const auto function = encrypts_ ? vsh_xts_encrypt_sectors : vsh_xts_decrypt_sectors;
    return function(xts_.get(), out, in, num, options_.sector_len, first);
  }

  // Processes a partial last sector.
  vsh_status crypt_short(uint8_t* out, const uint8_t* in, size_t len, uint64_t number) const {
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

// Cuts a stream into sectors and numbers them.
class SectorStream {
 public:
  // step: the difference between numbers of adjacent sectors.
  SectorStream(const SectorCipher& cipher, const SectorOptions& options, uint64_t step)
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

  const SectorCipher& cipher_;
  const size_t sector_len_;
  const uint64_t step_;
  uint64_t next_;         // the number of the next sector
  bool wrapped_ = false;  // there is no such number
  std::vector<uint8_t> begun_ = std::vector<uint8_t>(sector_len_);
  size_t begun_len_ = 0;  // bytes of an incomplete sector
};

class SectorCommand {
 public:
  SectorCommand(EncryptSettings& settings, const SectorOptions& sectors) : settings_(settings), sectors_(sectors) {
    if (settings.iv.given()) {
      throw Failure(ExitCode::usage, tr("{1} takes no IV", settings.cipher_name),
                    tr("leave out {1}; --first-sector numbers the sectors", settings.iv.option()));
    }
    const std::string len = std::to_string(sectors.sector_len);
    if (sectors.first_sector % step() != 0) {
      throw Failure(ExitCode::usage, tr("--first-sector {1} lies inside of a sector", sectors.first_sector),
                    tr("it counts units of 512 bytes: a multiple of {1} where --sector-size is {2}", step(), len));
    }
    settings.key_changes.apply(options_);
    settings.engine.apply(options_);
  }

  void run() {
    std::optional<ReadFile> key_file;
    const SectorCipher cipher(new_xts(key_file), settings_.direction, sectors_);
    InputFile input(settings_.input);
    const auto content = settings_.encrypts() ? OutputFile::Content::binary : OutputFile::Content::any;
    OutputFile output(settings_.output, settings_.force, content, settings_.sources(input, key_file));
    output.take_after(input, !settings_.encrypts());
    SectorStream stream(cipher, sectors_, step());
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
  // XTS numbers sectors by the units of 512 bytes before them.
  uint64_t step() const { return sectors_.sector_len / VSH_SECTOR_UNIT; }

  XtsContext new_xts(std::optional<ReadFile>& key_file) const {
    SecretBytes<VSH_XTS_KEY_LEN> key;
    key_file = settings_.key_options.load(key.bytes, settings_.input == "-");
    vsh_xts* context = nullptr;
    const vsh_status status = vsh_xts_new(&context, key.bytes, sizeof key.bytes, &options_);
    if (status == VSH_OK) return XtsContext(context);
    if (status == VSH_E_ARGUMENT) {
      throw Failure(ExitCode::usage, tr("the two halves of the key are the same"),
                    tr("{1} needs two keys of 32 bytes, one after the other", settings_.cipher_name));
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
        if (sectors_.stealing) {
          return Failure(ExitCode::data, tr("{1}: the last sector has {2}, and XTS needs 16", name, bytes_of(rest)),
                         tr("the file may be cut off") + warning);
        }
        return Failure(ExitCode::data,
                       tr("{1}: {2}, not a whole number of {3}-byte sectors", name, bytes_of(outcome.bytes_in),
                          sectors_.sector_len),
                       tr("this is not a disk image or was cut off; a short last sector needs --stealing") + warning);
      case VSH_E_LIMIT:
        return Failure(ExitCode::data, tr("{1}: more sectors than there are numbers from --first-sector on", name),
                       tr("give a smaller number") + warning);
      default: return engine_failure(outcome.status, settings_.cipher_name, options_);
    }
  }

  EncryptSettings& settings_;
  const SectorOptions& sectors_;
  vsh_options options_ = VSH_OPTIONS_INIT;
};

const char* disk_mode_name(size_t i) { return i == 0 ? kXts : nullptr; }
bool find_disk_mode(EncryptSettings& s) { return s.cipher_name == kXts; }

std::function<void(EncryptSettings&)> add_sector_options(Command& command) {
  const auto sectors = std::make_shared<SectorOptions>();
  add_number(command, "--sector-size", sectors->sector_len,
             {.min = VSH_SECTOR_UNIT, .max = VSH_MAX_SECTOR_LEN, .is_size = true, .multiple_of = VSH_SECTOR_UNIT},
             tr("XTS: bytes of a sector, 512 (default) to 4096"))
      ->manual(
          "XTS: bytes of a sector, 512 (the default) to 4096, a multiple of 512. The data must be whole "
          "sectors.");
  add_number(command, "--first-sector", sectors->first_sector, {},
             tr("XTS: units of 512 bytes before the first sector (default 0)"))
      ->manual(
          "The number of the first sector, 0 by default. XTS counts units of 512 bytes even for longer sectors, as "
          "Linux does.");
  command.add_flag("--stealing", sectors->stealing, tr("XTS: the last sector may be short, 16 bytes at least"))
      ->manual("XTS: the last sector may be short, at least 16 bytes; it ends with ciphertext stealing.");
  return [=](EncryptSettings& settings) { SectorCommand(settings, *sectors).run(); };
}

}  // namespace

const CipherKind kDiskModes = {disk_mode_name, find_disk_mode, add_sector_options};

}  // namespace vsh::cli
