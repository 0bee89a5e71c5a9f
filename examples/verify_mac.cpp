// Makes a message authentication code (GOST R 34.13-2015 5.6 over Kuznyechik), accepts it, and refuses a
// forgery.
//
//   c++ -std=c++20 verify_mac.cpp -lvershina && ./a.out
#include <cstdio>
#include <vershina/vershina.hpp>

int main() {
  try {
    const vershina::Bytes key(VSH_KEY_LEN, 0x42);
    const auto message = vershina::bytes("pay 100 roubles");
    const auto forged = vershina::bytes("pay 900 roubles");

    const auto tag = vershina::mac(VSH_KUZNYECHIK_MAC, key, message);
    for (const uint8_t b : tag) std::printf("%02x", b);
    std::printf("\n");

    vershina::Mac mac(VSH_KUZNYECHIK_MAC, key);
    const bool accepted = mac.update(message).verify(tag);
    mac.reset();
    const bool fooled = mac.update(forged).verify(tag);
    std::printf("message %s, forgery %s\n", accepted ? "accepted" : "refused", fooled ? "accepted" : "refused");
    return accepted && !fooled ? 0 : 1;
  } catch (const vershina::Error& error) {
    std::fprintf(stderr, "verify_mac: %s\n", error.what());
    return 1;
  }
}
