// A new user's C++20 program.
#include <cstdio>
#include <cstring>

#include <vershina/vershina.h>
#include <vershina/vershina.hpp>

int main() {
  // GOST R 34.12-2015, A.1.5 (RFC 7801, 5.5): Kuznyechik, one block.
  const unsigned char key[32] = {0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11, 0x22,
                                 0x33, 0x44, 0x55, 0x66, 0x77, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54,
                                 0x32, 0x10, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
  const unsigned char block[16] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x00,
                                   0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88};
  const unsigned char expected[16] = {0x7f, 0x67, 0x9d, 0x90, 0xbe, 0xbc, 0x24, 0x30,
                                      0x5a, 0x46, 0x8d, 0x42, 0xb9, 0xd4, 0xed, 0xcd};
  vsh_options options = VSH_OPTIONS_INIT;
  options.padding = VSH_PADDING_NONE;
  unsigned char out[16];
  size_t out_len = 0;
  if (vsh_encrypt(out, sizeof out, &out_len, VSH_KUZNYECHIK, VSH_ECB, key, sizeof key, nullptr, 0, block, sizeof block,
                  &options) != VSH_OK ||
      out_len != 16 || std::memcmp(out, expected, 16) != 0) {
    std::puts("wrong ciphertext");
    return 1;
  }
  std::printf("libvershina %s\n", vsh_version());
}
