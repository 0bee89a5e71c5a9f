// Encrypts a buffer with Kuznyechik in CTR mode, decrypts it again, and reads a part out of the middle.
//
//   c++ -std=c++20 encrypt_buffer.cpp -lvershina && ./a.out
#include <cstdio>
#include <vershina/vershina.hpp>

int main() {
  try {
    // A key from a file or a key agreement; an IV that is used once under a key. These are an example's.
    const vershina::Bytes key(VSH_KEY_LEN, 0x42);
    const vershina::Bytes iv = {0, 0, 0, 0, 0, 0, 0, 1};  // half a block
    const std::string_view text = "The summit is where the road ends and the view begins.";

    const auto ciphertext = vershina::encrypt(VSH_KUZNYECHIK, VSH_CTR, key, iv, vershina::bytes(text));
    for (const uint8_t b : ciphertext) std::printf("%02x", b);
    std::printf("\n");

    const auto back = vershina::decrypt(VSH_KUZNYECHIK, VSH_CTR, key, iv, ciphertext);
    std::printf("%.*s\n", static_cast<int>(back.size()), reinterpret_cast<const char*>(back.data()));

    vershina::Cipher cipher(VSH_KUZNYECHIK, VSH_CTR, VSH_DECRYPT, key, iv);
    cipher.seek(4);
    const auto word = cipher.update(vershina::View(ciphertext).subspan(4, 6));
    std::printf("%.*s (kernel %s)\n", static_cast<int>(word.size()), reinterpret_cast<const char*>(word.data()),
                cipher.kernel().data());

    const bool right = std::string_view(reinterpret_cast<const char*>(back.data()), back.size()) == text &&
                       std::string_view(reinterpret_cast<const char*>(word.data()), word.size()) == "summit";
    return right ? 0 : 1;
  } catch (const vershina::Error& error) {
    std::fprintf(stderr, "encrypt_buffer: %s\n", error.what());
    return 1;
  }
}
