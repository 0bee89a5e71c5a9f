#include "api/selftest/disk.hpp"

#include <algorithm>
#include <iterator>

#include "vershina/experimental.h"

namespace vsh::api::selftest {
namespace {

vsh_options options_for(const char* kernel) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.flags = VSH_ALLOW_TABLES | VSH_ALLOW_EXPERIMENTAL;
  o.kernel = kernel;
  return o;
}

// xts_kuznyechik.cpp of bcm-lib
bool xts_passes(const char* kernel) {
  constexpr uint8_t kOut[32] = {0x29, 0x1f, 0x33, 0x6f, 0x0d, 0x92, 0x87, 0xce, 0x92, 0x1f, 0x2b,
                                0x33, 0x24, 0xf3, 0x45, 0xe6, 0x22, 0xf6, 0x85, 0x60, 0xe6, 0x7e,
                                0x90, 0x24, 0x71, 0x27, 0x4a, 0x5f, 0x3a, 0x05, 0x06, 0x77};
  constexpr uint8_t kNumber[16] = {0x33, 0x33, 0x33, 0x33, 0x33};
  uint8_t key[VSH_XTS_KEY_LEN], in[32], out[32];
  for (size_t i = 0; i < VSH_KEY_LEN; ++i) key[i] = static_cast<uint8_t>(0xff - i % 16);
  std::fill_n(key + VSH_KEY_LEN, VSH_KEY_LEN, uint8_t{0x22});
  std::fill(std::begin(in), std::end(in), uint8_t{0x44});
  const vsh_options o = options_for(kernel);
  vsh_xts* xts = nullptr;
  const bool right = vsh_xts_new(&xts, key, sizeof key, &o) == VSH_OK &&
                     vsh_xts_encrypt_unit(xts, out, in, sizeof in, kNumber) == VSH_OK &&
                     std::equal(std::begin(out), std::end(out), kOut) &&
                     vsh_xts_decrypt_unit(xts, out, out, sizeof out, kNumber) == VSH_OK &&
                     std::equal(std::begin(out), std::end(out), in);
  vsh_xts_free(xts);
  return right;
}

// Computed by bcm-lib: the first and the last block of a sector of zeros, partition 1 under counter 2, sector 3 under
// 4.
bool dec_passes(const char* kernel) {
  constexpr uint8_t kKey[32] = {0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11, 0x22,
                                0x33, 0x44, 0x55, 0x66, 0x77, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54,
                                0x32, 0x10, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
  constexpr uint8_t kFirst[16] = {0x31, 0x50, 0x95, 0x95, 0x74, 0x78, 0x76, 0x30,
                                  0xe6, 0x0d, 0x88, 0xe4, 0xa6, 0xa3, 0x2d, 0x93};
  constexpr uint8_t kLast[16] = {0x6b, 0x53, 0xac, 0xca, 0xb3, 0x71, 0xac, 0xe4,
                                 0xd7, 0x9e, 0x76, 0xb4, 0x6b, 0x57, 0x9e, 0x86};
  constexpr uint64_t kCounter = 4;
  uint8_t sector[VSH_SECTOR_UNIT] = {};
  const vsh_options o = options_for(kernel);
  vsh_dec_experimental* dec = nullptr;
  const bool right = vsh_dec_experimental_new(&dec, kKey, sizeof kKey, 1, 2, sizeof sector, &o) == VSH_OK &&
                     vsh_dec_experimental_crypt(dec, sector, sector, 1, 3, &kCounter) == VSH_OK &&
                     std::equal(std::begin(kFirst), std::end(kFirst), sector) &&
                     std::equal(std::begin(kLast), std::end(kLast), std::end(sector) - sizeof kLast);
  vsh_dec_experimental_free(dec);
  return right;
}

}  // namespace

bool disk_passes(const char* kernel) { return xts_passes(kernel) && dec_passes(kernel); }

}  // namespace vsh::api::selftest
