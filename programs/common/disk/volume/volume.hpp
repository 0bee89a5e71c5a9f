// A volume: bytes that are enciphered by sectors with Kuznyechik in XTS and kept in a store.
#pragma once

#include <vershina/disk.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "programs/common/disk/store/store.hpp"
#include "programs/common/disk/volume/pieces.hpp"
#include "programs/common/disk/volume/range_locks.hpp"
#include "programs/common/system/secret_buffer.hpp"

namespace vsh::disk {

using VolumeKey = cli::SecretBytes<VSH_XTS_KEY_LEN>;

// Where the sectors of a volume lie, and how they are numbered.
struct Layout {
  uint64_t offset = 0;  // of the first sector in the store, in bytes
  uint64_t size = 0;    // in bytes
  uint32_t sector_len = 512;
  // The first sector's number in units of 512 bytes (dm-crypt's iv_offset).
  uint64_t first_number = 0;
  // dm-crypt's iv_large_sectors: numbers count sectors, not units of 512 bytes.
  bool counts_sectors = false;
};

// Throws cli::Failure unless the layout describes whole sectors within store_size bytes, with numbers that exist.
// whose: the name for messages.
void check_layout(const Layout& layout, uint64_t store_size, const std::string& whose);

// Any range of bytes can be read and written, by several threads at a time. Whole sectors are written in pieces of up
// to 256 KiB; a part of a sector is combined with the sector's content. Throws IoError.
class Volume {
 public:
  // The layout has passed check_layout. Throws cli::Failure for a key that XTS refuses.
  Volume(std::unique_ptr<Store> store, const Layout& layout, const VolumeKey& key);

  uint64_t size() const { return layout_.size; }
  uint32_t sector_len() const { return layout_.sector_len; }
  bool may_write() const { return store_->may_write(); }
  const Layout& layout() const { return layout_; }

  void read(uint8_t* out, size_t len, uint64_t offset);
  void write(const uint8_t* in, size_t len, uint64_t offset);
  void write_zeros(uint64_t len, uint64_t offset);
  // Gives back the space of the whole sectors in the range; they hold anything afterwards.
  void discard(uint64_t len, uint64_t offset);
  bool can_flush() const { return store_->can_flush(); }
  void flush() { store_->flush(); }

 private:
  struct Free {
    void operator()(vsh_xts* context) const { vsh_xts_free(context); }
  };
  enum class Direction { encrypt, decrypt };

  void check_range(uint64_t len, uint64_t offset) const;
  void crypt(Direction direction, uint8_t* out, const uint8_t* in, size_t num_sectors, uint64_t first_sector) const;
  void read_sectors(uint8_t* out, size_t num_sectors, uint64_t first_sector);
  // in: null for zeros.
  void write_any(const uint8_t* in, uint64_t len, uint64_t offset);
  void write_sectors(const uint8_t* in, uint64_t num_sectors, uint64_t first_sector);
  void change_sector(const uint8_t* in, size_t len, uint64_t sector, size_t begin);

  std::unique_ptr<Store> store_;
  const Layout layout_;
  std::unique_ptr<vsh_xts, Free> xts_;
  RangeLocks locks_;
  Pieces pieces_;
};

}  // namespace vsh::disk
