#include "programs/common/disk/volume/volume.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

// Bytes encrypted between two writes, and decrypted after each read: they stay in the second-level cache.
constexpr size_t kPiece = Pieces::kLen;
static_assert(kPiece % VSH_MAX_SECTOR_LEN == 0);

// The plaintext of one sector, erased at the end.
struct OneSector {
  alignas(64) uint8_t bytes[VSH_MAX_SECTOR_LEN];
  ~OneSector() { cli::wipe(bytes, sizeof bytes); }
};

}  // namespace

void check_layout(const Layout& layout, uint64_t store_size, const std::string& whose) {
  const auto refuse = [&](const std::string& what, const std::string& advice = {}) {
    throw Failure(ExitCode::parameters, whose + ": " + what, advice);
  };
  const uint32_t len = layout.sector_len;
  if (len < VSH_SECTOR_UNIT || len > VSH_MAX_SECTOR_LEN || (len & (len - 1)) != 0)
    refuse(tr("sectors have 512, 1024, 2048 or 4096 bytes, not {1}", len));
  if (layout.offset % VSH_SECTOR_UNIT != 0)
    refuse(tr("the volume begins at byte {1}, which is not a multiple of 512", layout.offset));
  if (layout.size == 0) refuse(tr("the volume is empty"));
  if (layout.size % len != 0) {
    refuse(tr("the volume has {1}, not a whole number of {2}-byte sectors", cli::bytes_of(layout.size), len));
  }
  if (layout.offset > store_size || layout.size > store_size - layout.offset) {
    refuse(tr("the volume would end at byte {1} + {2}, behind the end of the store, which has {3}", layout.offset,
              layout.size, cli::bytes_of(store_size)));
  }
  const uint64_t units = layout.size / VSH_SECTOR_UNIT;
  if (layout.first_number % (len / VSH_SECTOR_UNIT) != 0)
    refuse(tr("the first number {1} lies inside of a sector", layout.first_number));
  if (units - 1 > UINT64_MAX - layout.first_number) refuse(tr("there are more sectors than numbers"));
  if (layout.size > INT64_MAX) refuse(tr("the volume is too large"));
}

Volume::Volume(std::unique_ptr<Store> store, const Layout& layout, const VolumeKey& key)
    : store_(std::move(store)), layout_(layout) {
  store_->become_patient();
  // One thread for each request: the server has threads of its own, and none may exist before it forks.
  vsh_xts* context = nullptr;
  const vsh_status status = vsh_xts_new(&context, key.bytes, sizeof key.bytes, nullptr);
  xts_.reset(context);
  if (status == VSH_E_ARGUMENT) {
    throw Failure(ExitCode::data, tr("{1}: the two halves of the volume key are the same", store_->name()),
                  tr("XTS is not secure with such a key"));
  }
  if (status != VSH_OK) throw Failure(ExitCode::internal, vsh_status_message(status));
}

void Volume::check_range(uint64_t len, uint64_t offset) const {
  if (offset > layout_.size || len > layout_.size - offset)
    throw IoError(EINVAL, tr("{1}: a request goes behind the end of the volume", store_->name()));
}

void Volume::crypt(Direction direction, uint8_t* out, const uint8_t* in, size_t num_sectors,
                   uint64_t first_sector) const {
  const size_t len = layout_.sector_len;
  const uint64_t units = len / VSH_SECTOR_UNIT;
  const uint64_t number = layout_.first_number + first_sector * units;
  vsh_status status = VSH_OK;
  if (!layout_.counts_sectors || units == 1) {
    const auto f = direction == Direction::encrypt ? vsh_xts_encrypt_sectors : vsh_xts_decrypt_sectors;
    status = f(xts_.get(), out, in, num_sectors, len, number);
  } else {
    const auto f = direction == Direction::encrypt ? vsh_xts_encrypt_unit : vsh_xts_decrypt_unit;
    for (size_t i = 0; i < num_sectors && status == VSH_OK; ++i) {
      uint8_t tweak[16] = {};
      for (size_t byte = 0; byte < 8; ++byte) tweak[byte] = static_cast<uint8_t>((number / units + i) >> (8 * byte));
      status = f(xts_.get(), out + i * len, in + i * len, len, tweak);
    }
  }
  if (status != VSH_OK) throw IoError(EIO, store_->name() + ": " + vsh_status_message(status));
}

void Volume::read_sectors(uint8_t* out, size_t num_sectors, uint64_t first_sector) {
  const size_t len = layout_.sector_len, most = kPiece / len;
  while (num_sectors > 0) {
    const size_t now = std::min(num_sectors, most);
    store_->read(out, now * len, layout_.offset + first_sector * len);
    crypt(Direction::decrypt, out, out, now, first_sector);
    out += now * len;
    first_sector += now;
    num_sectors -= now;
  }
}

void Volume::read(uint8_t* out, size_t len, uint64_t offset) {
  check_range(len, offset);
  const size_t sector_len = layout_.sector_len;
  while (len > 0) {
    const uint64_t sector = offset / sector_len;
    const size_t begin = static_cast<size_t>(offset % sector_len);
    size_t now = 0;
    if (begin == 0 && len >= sector_len) {
      now = len / sector_len * sector_len;
      read_sectors(out, now / sector_len, sector);
    } else {
      now = std::min(len, sector_len - begin);
      OneSector whole;
      read_sectors(whole.bytes, 1, sector);
      std::memcpy(out, whole.bytes + begin, now);
    }
    out += now;
    offset += now;
    len -= now;
  }
}

void Volume::write_sectors(const uint8_t* in, uint64_t num_sectors, uint64_t first_sector) {
  const size_t len = layout_.sector_len, most = kPiece / len;
  const RangeLocks::Hold hold(locks_, first_sector, first_sector + num_sectors - 1, RangeLocks::Use::whole_sectors);
  const Pieces::Use use(pieces_);
  uint8_t* const piece = use.bytes();
  while (num_sectors > 0) {
    const size_t now = static_cast<size_t>(std::min<uint64_t>(num_sectors, most));
    if (!in) std::memset(piece, 0, now * len);
    crypt(Direction::encrypt, piece, in ? in : piece, now, first_sector);
    store_->write(piece, now * len, layout_.offset + first_sector * len);
    if (in) in += now * len;
    first_sector += now;
    num_sectors -= now;
  }
}

void Volume::change_sector(const uint8_t* in, size_t len, uint64_t sector, size_t begin) {
  const RangeLocks::Hold hold(locks_, sector, sector, RangeLocks::Use::part_of_sector);
  OneSector whole;
  read_sectors(whole.bytes, 1, sector);
  if (in) std::memcpy(whole.bytes + begin, in, len);
  else std::memset(whole.bytes + begin, 0, len);
  crypt(Direction::encrypt, whole.bytes, whole.bytes, 1, sector);
  store_->write(whole.bytes, layout_.sector_len, layout_.offset + sector * layout_.sector_len);
}

void Volume::write_any(const uint8_t* in, uint64_t len, uint64_t offset) {
  check_range(len, offset);
  if (!may_write()) throw IoError(EROFS, tr("{1}: is open for reading only", store_->name()));
  const size_t sector_len = layout_.sector_len;
  while (len > 0) {
    const uint64_t sector = offset / sector_len;
    const size_t begin = static_cast<size_t>(offset % sector_len);
    uint64_t now = 0;
    if (begin == 0 && len >= sector_len) {
      now = len / sector_len * sector_len;
      write_sectors(in, now / sector_len, sector);
    } else {
      now = std::min<uint64_t>(len, sector_len - begin);
      change_sector(in, static_cast<size_t>(now), sector, begin);
    }
    if (in) in += now;
    offset += now;
    len -= now;
  }
}

void Volume::write(const uint8_t* in, size_t len, uint64_t offset) { write_any(in, len, offset); }

void Volume::write_zeros(uint64_t len, uint64_t offset) { write_any(nullptr, len, offset); }

void Volume::discard(uint64_t len, uint64_t offset) {
  check_range(len, offset);
  if (!may_write()) throw IoError(EROFS, tr("{1}: is open for reading only", store_->name()));
  const uint64_t sector_len = layout_.sector_len;
  const uint64_t first = (offset + sector_len - 1) / sector_len, end = (offset + len) / sector_len;
  if (first >= end) return;
  const RangeLocks::Hold hold(locks_, first, end - 1, RangeLocks::Use::whole_sectors);
  store_->discard(layout_.offset + first * sector_len, (end - first) * sector_len);
}

}  // namespace vsh::disk
