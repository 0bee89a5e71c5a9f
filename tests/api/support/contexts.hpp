// Contexts for the tests of the C ABI: with a fixed key and IV, owned by smart pointers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "vershina/vershina.h"

namespace vsh::test {

using Bytes = std::vector<uint8_t>;

inline const Bytes kKey(32, 0x42);
inline const Bytes kIv(256, 0x24);

inline size_t iv_len(vsh_cipher_algorithm a, vsh_mode m) { return vsh_iv_len(a, m); }

inline vsh_options options() { return VSH_OPTIONS_INIT; }

struct Free {
  void operator()(vsh_cipher* c) const { vsh_cipher_free(c); }
  void operator()(vsh_mac* c) const { vsh_mac_free(c); }
  void operator()(vsh_hash* c) const { vsh_hash_free(c); }
};
using CipherPointer = std::unique_ptr<vsh_cipher, Free>;
using MacPointer = std::unique_ptr<vsh_mac, Free>;
using HashPointer = std::unique_ptr<vsh_hash, Free>;

// Returns the status of vsh_cipher_new, which must create a context or nothing.
inline vsh_status try_new(vsh_cipher_algorithm a, vsh_mode m, const vsh_options* o = nullptr, size_t iv = SIZE_MAX,
                          size_t key = 32) {
  vsh_cipher* c = nullptr;
  const vsh_status status =
      vsh_cipher_new(&c, a, m, VSH_ENCRYPT, kKey.data(), key, kIv.data(), iv == SIZE_MAX ? iv_len(a, m) : iv, o);
  EXPECT_EQ(status == VSH_OK, c != nullptr);
  vsh_cipher_free(c);
  return status;
}

inline CipherPointer make(vsh_cipher_algorithm a, vsh_mode m, vsh_direction d = VSH_ENCRYPT,
                          vsh_options o = options()) {
  vsh_cipher* c = nullptr;
  EXPECT_EQ(vsh_cipher_new(&c, a, m, d, kKey.data(), 32, kIv.data(), iv_len(a, m), &o), VSH_OK);
  return CipherPointer(c);
}

inline MacPointer make_mac(vsh_mac_algorithm a, vsh_options o = options()) {
  vsh_mac* c = nullptr;
  EXPECT_EQ(vsh_mac_new(&c, a, kKey.data(), 32, &o), VSH_OK);
  return MacPointer(c);
}

inline HashPointer make_hash(vsh_hash_algorithm a, vsh_options o = options()) {
  vsh_hash* c = nullptr;
  EXPECT_EQ(vsh_hash_new(&c, a, &o), VSH_OK);
  return HashPointer(c);
}

inline std::vector<vsh_kernel_info> kernels() {
  std::vector<vsh_kernel_info> result;
  vsh_kernel_info info;
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) result.push_back(info);
  return result;
}

}  // namespace vsh::test
