#include "api/selftest/disk.hpp"

#include <algorithm>
#include <iterator>

#include "vershina/disk.h"

namespace vsh::api::selftest {

// xts_kuznyechik.cpp of bcm-lib
bool disk_passes(const char* kernel) {
  constexpr uint8_t kOut[32] = {0x29, 0x1f, 0x33, 0x6f, 0x0d, 0x92, 0x87, 0xce, 0x92, 0x1f, 0x2b,
                                0x33, 0x24, 0xf3, 0x45, 0xe6, 0x22, 0xf6, 0x85, 0x60, 0xe6, 0x7e,
                                0x90, 0x24, 0x71, 0x27, 0x4a, 0x5f, 0x3a, 0x05, 0x06, 0x77};
  constexpr uint8_t kNumber[16] = {0x33, 0x33, 0x33, 0x33, 0x33};
  uint8_t key[VSH_XTS_KEY_LEN], in[32], out[32];
  for (size_t i = 0; i < VSH_KEY_LEN; ++i) key[i] = static_cast<uint8_t>(0xff - i % 16);
  std::fill_n(key + VSH_KEY_LEN, VSH_KEY_LEN, uint8_t{0x22});
  std::fill(std::begin(in), std::end(in), uint8_t{0x44});
  vsh_options o = VSH_OPTIONS_INIT;
  o.flags = VSH_ALLOW_TABLES;
  o.kernel = kernel;
  vsh_xts* xts = nullptr;
  const bool right = vsh_xts_new(&xts, key, sizeof key, &o) == VSH_OK &&
                     vsh_xts_encrypt_unit(xts, out, in, sizeof in, kNumber) == VSH_OK &&
                     std::equal(std::begin(out), std::end(out), kOut) &&
                     vsh_xts_decrypt_unit(xts, out, out, sizeof out, kNumber) == VSH_OK &&
                     std::equal(std::begin(out), std::end(out), in);
  vsh_xts_free(xts);
  return right;
}

}  // namespace vsh::api::selftest
