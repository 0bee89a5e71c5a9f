// Encryption of disk sectors: XTS. Part of vershina.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef VERSHINA_DISK_HPP
#define VERSHINA_DISK_HPP

#include <vershina/vershina.hpp>

namespace vershina {

// XTS over Kuznyechik: vsh_xts. Movable, not copyable.
class Xts {
 public:
  using Number = std::span<const uint8_t, 16>;  // of a data unit, least significant byte first

  // key: 64 bytes, two different halves.
  explicit Xts(View key, const Options& options = {}) {
    vsh_xts* c = nullptr;
    check(vsh_xts_new(&c, key.data(), key.size(), &options));
    context_.reset(c);
  }

  // Whole sectors; `out` has the size of `in`. first_sector counts units of 512 bytes.
  void encrypt_sectors(Room out, View in, size_t sector_len, uint64_t first_sector) const {
    check(vsh_xts_encrypt_sectors(context_.get(), out.data(), in.data(), count(out, in, sector_len), sector_len,
                                  first_sector));
  }
  void decrypt_sectors(Room out, View in, size_t sector_len, uint64_t first_sector) const {
    check(vsh_xts_decrypt_sectors(context_.get(), out.data(), in.data(), count(out, in, sector_len), sector_len,
                                  first_sector));
  }

  // One data unit of any length from 16 bytes on; `out` has the size of `in`.
  void encrypt_unit(Room out, View in, Number number) const {
    if (out.size() != in.size()) throw Error(VSH_E_CAPACITY);
    check(vsh_xts_encrypt_unit(context_.get(), out.data(), in.data(), in.size(), number.data()));
  }
  void decrypt_unit(Room out, View in, Number number) const {
    if (out.size() != in.size()) throw Error(VSH_E_CAPACITY);
    check(vsh_xts_decrypt_unit(context_.get(), out.data(), in.data(), in.size(), number.data()));
  }

  std::string_view kernel() const noexcept { return vsh_xts_kernel(context_.get()); }

 private:
  static size_t count(Room out, View in, size_t sector_len) {
    if (out.size() != in.size()) throw Error(VSH_E_CAPACITY);
    if (sector_len == 0) throw Error(VSH_E_SECTOR);
    if (in.size() % sector_len) throw Error(VSH_E_DATA_LENGTH);
    return in.size() / sector_len;
  }

  struct Free {
    void operator()(vsh_xts* c) const noexcept { vsh_xts_free(c); }
  };
  std::unique_ptr<vsh_xts, Free> context_;
};

}  // namespace vershina

#endif
