// Disk modes through the C ABI: vectors of other implementations on every kernel, and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "api/support/contexts.hpp"
#include "support/guarded_buffer.hpp"
#include "support/random.hpp"
#include "support/vec.hpp"
#include "vershina/disk.hpp"

namespace {

using namespace vsh::test;
namespace vec = vsh::vec;

struct FreeXts {
  void operator()(vsh_xts* c) const { vsh_xts_free(c); }
};
using XtsPointer = std::unique_ptr<vsh_xts, FreeXts>;

XtsPointer make_xts(const Bytes& keys, vsh_options o = options()) {
  vsh_xts* c = nullptr;
  EXPECT_EQ(vsh_xts_new(&c, keys.data(), keys.size(), &o), VSH_OK);
  return XtsPointer(c);
}

Bytes two_keys() { return Random(9).bytes(VSH_XTS_KEY_LEN); }

// Options that force each kernel of Kuznyechik that runs here, and the default.
template <class F>
void with_each_kernel(F f) {
  f(options());
  for (const vsh_kernel_info& info : kernels()) {
    if (std::string_view(info.family) != "kuznyechik" || !info.runnable) continue;
    SCOPED_TRACE(info.variant);
    vsh_options o = options();
    o.kernel = info.variant;
    if (!info.constant_time) o.flags = VSH_ALLOW_TABLES;
    f(o);
  }
}

// ISO 3309, as in zip files.
Bytes crc32(const Bytes& data) {
  uint32_t crc = UINT32_MAX;
  for (const uint8_t byte : data) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  crc = ~crc;
  return {static_cast<uint8_t>(crc >> 24), static_cast<uint8_t>(crc >> 16), static_cast<uint8_t>(crc >> 8),
          static_cast<uint8_t>(crc)};
}

TEST(Xts, BcmLib) {
  const auto records = vec::read("kuznyechik_disk.vec", "xts", {"Keys", "IV", "In", "Out"});
  with_each_kernel([&](const vsh_options& o) {
    for (const vec::Record& r : records) {
      SCOPED_TRACE(r.where());
      const XtsPointer c = make_xts(r.bytes("Keys"), o);
      const Bytes in = r.bytes("In"), number = r.bytes("IV");
      Bytes out(in.size());
      EXPECT_EQ(vsh_xts_encrypt_unit(c.get(), out.data(), in.data(), in.size(), number.data()), VSH_OK);
      EXPECT_EQ(out, r.bytes("Out"));
      EXPECT_EQ(vsh_xts_decrypt_unit(c.get(), out.data(), out.data(), in.size(), number.data()), VSH_OK);
      EXPECT_EQ(out, in);
    }
  });
}

TEST(Xts, VeraCrypt) {
  const auto records = vec::read("kuznyechik_disk.vec", "xts-crc", {"Keys", "Sector", "In", "Count", "Crc"});
  with_each_kernel([&](const vsh_options& o) {
    for (const vec::Record& r : records) {
      SCOPED_TRACE(r.where());
      const XtsPointer c = make_xts(r.bytes("Keys"), o);
      const Bytes unit = r.bytes("In");
      Bytes in;
      for (uint64_t i = 0; i < r.number("Count"); ++i) in.insert(in.end(), unit.begin(), unit.end());
      Bytes out(in.size());
      const size_t count = r.number("Count");
      const uint64_t first = r.number("Sector");
      ASSERT_EQ(vsh_xts_encrypt_sectors(c.get(), out.data(), in.data(), count, unit.size(), first), VSH_OK);
      EXPECT_EQ(crc32(out), r.bytes("Crc"));
      ASSERT_EQ(vsh_xts_decrypt_sectors(c.get(), out.data(), out.data(), count, unit.size(), first), VSH_OK);
      EXPECT_EQ(out, in);
    }
  });
}

// A longer sector is one data unit with the number of its first 512 bytes.
TEST(Xts, LongerSectorsAreNumberedInUnitsOf512) {
  const vershina::Xts xts(two_keys());
  const Bytes in = Random(1).bytes(3 * 4096);
  for (const size_t sector_len : {1024u, 1536u, 2048u, 4096u}) {
    const uint64_t first = 24;  // of all these a multiple
    Bytes out(in.size()), unit(sector_len);
    xts.encrypt_sectors(out, in, sector_len, first);
    for (size_t at = 0; at < in.size(); at += sector_len) {
      uint8_t number[16] = {static_cast<uint8_t>(first + at / 512)};
      xts.encrypt_unit(unit, vershina::View(in).subspan(at, sector_len), number);
      ASSERT_EQ(unit, Bytes(out.begin() + static_cast<long>(at), out.begin() + static_cast<long>(at + sector_len)));
    }
    xts.decrypt_sectors(out, out, sector_len, first);
    EXPECT_EQ(out, in);
  }
}

TEST(Xts, TouchesNothingElse) {
  const XtsPointer c = make_xts(two_keys());
  const uint8_t number[16] = {};
  for (const size_t len : {16u, 17u, 31u, 512u, 4096u, 16383u}) {
    const GuardedBuffer in(len), out(len);
    std::memset(in.at_end(), 1, len);
    EXPECT_EQ(vsh_xts_encrypt_unit(c.get(), out.at_end(), in.at_end(), len, number), VSH_OK);
    std::memmove(out.at_start(), out.at_end(), len);
    EXPECT_EQ(vsh_xts_decrypt_unit(c.get(), out.at_start(), out.at_start(), len, number), VSH_OK);
    EXPECT_EQ(std::memcmp(out.at_start(), in.at_end(), len), 0);
  }
}

TEST(Xts, BadKeysAndOptions) {
  const Bytes keys = two_keys();
  const auto status = [&](const Bytes& k, size_t len, const vsh_options* o = nullptr) {
    vsh_xts* c = nullptr;
    const vsh_status s = vsh_xts_new(&c, k.data(), len, o);
    EXPECT_EQ(s == VSH_OK, c != nullptr);
    vsh_xts_free(c);
    return s;
  };
  vsh_xts* c = nullptr;
  EXPECT_EQ(status(keys, 64), VSH_OK);
  EXPECT_EQ(vsh_xts_new(nullptr, keys.data(), 64, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_xts_new(&c, nullptr, 64, nullptr), VSH_E_ARGUMENT);
  for (const size_t len : {0u, 32u, 63u, 65u}) EXPECT_EQ(status(keys, len), VSH_E_KEY_LENGTH) << len;
  EXPECT_EQ(status(Bytes(64, 7), 64), VSH_E_ARGUMENT) << "equal halves";
  Bytes nearly(64, 7);
  nearly[63] ^= 0x80;
  EXPECT_EQ(status(nearly, 64), VSH_OK);
  vsh_options o = options();
  o.kernel = "nonsense";
  EXPECT_EQ(status(keys, 64, &o), VSH_E_KERNEL_UNKNOWN);
  o = options();
  o.sbox = VSH_SBOX_TC26_Z;
  EXPECT_EQ(status(keys, 64, &o), VSH_E_SBOX);
  o = options();
  o.struct_size = 1;
  EXPECT_EQ(status(keys, 64, &o), VSH_E_ARGUMENT);
  EXPECT_STREQ(vsh_xts_kernel(nullptr), "");
  EXPECT_STRNE(vsh_xts_kernel(make_xts(keys).get()), "");
}

TEST(Xts, BadSectors) {
  const XtsPointer c = make_xts(two_keys());
  for (auto* const crypt : {vsh_xts_encrypt_sectors, vsh_xts_decrypt_sectors}) {
    Bytes out(8192, 5);
    const Bytes in(8192, 1);
    const auto status = [&](size_t num, size_t sector_len, uint64_t first) {
      return crypt(c.get(), out.data(), in.data(), num, sector_len, first);
    };
    for (const size_t len : {0u, 16u, 511u, 513u, 4608u, 8192u}) EXPECT_EQ(status(1, len, 0), VSH_E_SECTOR) << len;
    EXPECT_EQ(status(1, 4096, 1), VSH_E_SECTOR) << "inside of a sector";
    EXPECT_EQ(status(1, 1536, 4), VSH_E_SECTOR);
    EXPECT_EQ(status(2, 512, UINT64_MAX), VSH_E_LIMIT);
    EXPECT_EQ(status(2, 4096, UINT64_MAX - 7), VSH_E_LIMIT);
    EXPECT_EQ(status(SIZE_MAX, 512, 0), VSH_E_ARGUMENT);
    EXPECT_EQ(status(SIZE_MAX / 512, 512, 0), VSH_E_ARGUMENT) << "beyond the address space";
    EXPECT_EQ(crypt(nullptr, out.data(), in.data(), 1, 512, 0), VSH_E_ARGUMENT);
    EXPECT_EQ(crypt(c.get(), nullptr, in.data(), 1, 512, 0), VSH_E_ARGUMENT);
    EXPECT_EQ(crypt(c.get(), out.data(), nullptr, 1, 512, 0), VSH_E_ARGUMENT);
    EXPECT_EQ(crypt(c.get(), out.data() + 1, out.data(), 1, 512, 0), VSH_E_ARGUMENT) << "overlap";
    EXPECT_EQ(out, Bytes(8192, 5));
    EXPECT_EQ(crypt(c.get(), nullptr, nullptr, 0, 512, 0), VSH_OK);
    EXPECT_EQ(status(1, 512, UINT64_MAX), VSH_OK);
    EXPECT_EQ(status(2, 4096, UINT64_MAX - 15), VSH_OK);
  }
}

TEST(Xts, BadUnits) {
  const XtsPointer c = make_xts(two_keys());
  const uint8_t number[16] = {};
  for (auto* const crypt : {vsh_xts_encrypt_unit, vsh_xts_decrypt_unit}) {
    Bytes out(64, 5);
    const Bytes in(64, 1);
    for (const size_t len : {0u, 1u, 15u})
      EXPECT_EQ(crypt(c.get(), out.data(), in.data(), len, number), VSH_E_DATA_LENGTH) << len;
    EXPECT_EQ(crypt(c.get(), out.data(), in.data(), VSH_XTS_MAX_UNIT_LEN + 1, number), VSH_E_LIMIT);
    EXPECT_EQ(crypt(c.get(), out.data(), in.data(), SIZE_MAX, number), VSH_E_LIMIT);
    EXPECT_EQ(crypt(nullptr, out.data(), in.data(), 64, number), VSH_E_ARGUMENT);
    EXPECT_EQ(crypt(c.get(), nullptr, in.data(), 64, number), VSH_E_ARGUMENT);
    EXPECT_EQ(crypt(c.get(), out.data(), nullptr, 64, number), VSH_E_ARGUMENT);
    EXPECT_EQ(crypt(c.get(), out.data(), in.data(), 64, nullptr), VSH_E_ARGUMENT);
    EXPECT_EQ(crypt(c.get(), out.data() + 16, out.data(), 32, number), VSH_E_ARGUMENT) << "overlap";
    EXPECT_EQ(out, Bytes(64, 5));
  }
}

TEST(Xts, ErrorsOfTheHeader) {
  vershina::Xts xts(two_keys());
  Bytes in(1024), out(512);
  const auto status = [](auto f) {
    try {
      f();
    } catch (const vershina::Error& error) {
      return error.status();
    }
    return VSH_OK;
  };
  EXPECT_EQ(status([&] { vershina::Xts(Bytes(64)); }), VSH_E_ARGUMENT);
  EXPECT_EQ(status([&] { xts.encrypt_sectors(out, in, 512, 0); }), VSH_E_CAPACITY);
  EXPECT_EQ(status([&] { xts.encrypt_sectors(in, in, 0, 0); }), VSH_E_SECTOR);
  EXPECT_EQ(status([&] { xts.decrypt_sectors(out, vershina::View(in).first(512), 1024, 0); }), VSH_E_DATA_LENGTH);
}

// Options only for modes are refused, not ignored.
template <class New>
void refuses_options_of_modes(vsh_options good, New make) {
  const auto refuses = [&](auto change, vsh_status status) {
    vsh_options o = good;
    change(o);
    EXPECT_EQ(make(o), status);
  };
  refuses([](vsh_options& o) { o.segment_len = 16; }, VSH_E_SEGMENT);
  refuses([](vsh_options& o) { o.section_len = 512; }, VSH_E_SECTION);
  refuses([](vsh_options& o) { o.master_section_len = 512; }, VSH_E_SECTION);
  refuses([](vsh_options& o) { o.key_meshing = VSH_MESHING_CRYPTOPRO; }, VSH_E_SECTION);
  refuses([](vsh_options& o) { o.key_meshing = static_cast<vsh_key_meshing>(2); }, VSH_E_ARGUMENT);
  refuses([](vsh_options& o) { o.padding = VSH_PADDING_2; }, VSH_E_PADDING);
  refuses([](vsh_options& o) { o.padding = static_cast<vsh_padding>(9); }, VSH_E_PADDING);
  refuses([](vsh_options& o) { o.sbox = VSH_SBOX_TC26_Z; }, VSH_E_SBOX);
}

TEST(Xts, RefusesOptionsOfModes) {
  const Bytes keys = two_keys();
  refuses_options_of_modes(options(), [&](const vsh_options& o) {
    vsh_xts* c = nullptr;
    const vsh_status status = vsh_xts_new(&c, keys.data(), keys.size(), &o);
    EXPECT_EQ(c, nullptr);
    return status;
  });
}

}  // namespace
