// Sealed files: sealing with secret recipients and a secret file key, opening with the right secret and with a wrong
// one.
#include "cases.hpp"

bool real_random(void*, size_t) __asm__("__real__ZN3vsh12random_bytesEPvm");
bool wrap_random(void*, size_t) __asm__("__wrap__ZN3vsh12random_bytesEPvm");

// The linker's --wrap (CMakeLists.txt) redirects the library's calls here: its random bytes are secret.
bool wrap_random(void* p, size_t len) {
  const bool drawn = real_random(p, len);
  vsh::test::make_secret(p, len);
  return drawn;
}

namespace vsh::test {
namespace {

constexpr size_t kLen = 5000, kHeader = 2 * VSH_SEALED_MIN_SLOT_LEN,
                 kSealedLen = kHeader + kLen + 2 * VSH_SEALED_TAG_LEN + VSH_SEALED_END_LEN;

vsh_recipient recipient(vsh_recipient_kind kind, const Bytes& bytes, uint32_t iterations) {
  return {kind, bytes.data(), bytes.size(), kind == VSH_RECIPIENT_PASSPHRASE ? iterations : 0, nullptr};
}

// Two chunks. An observer sees the file.
Bytes seal(vsh_recipient_kind kind, const Bytes& bytes, bool& depends) {
  const std::string what = "sealing";
  const vsh_recipient r = recipient(kind, bytes, VSH_SEALED_MIN_ITERATIONS);
  const Bytes plaintext = secret(kLen);
  Bytes file(kSealedLen);
  vsh_sealer* sealer = nullptr;
  must(what, vsh_sealer_new(&sealer, VSH_SEALED_MIN_CHUNK_LEN, nullptr));
  must(what, vsh_sealer_add_recipient(sealer, &r));
  must(what, vsh_sealer_header(sealer, file.data(), file.size()));
  size_t at = kHeader, len = 0;
  must(what, vsh_sealer_update(sealer, &file[at], file.size() - at, &len, plaintext.data(), kLen));
  at += len;
  must(what, vsh_sealer_final(sealer, &file[at], file.size() - at, &len));
  vsh_sealer_free(sealer);
  depends = is_secret(file.data(), file.size());
  declassify(file.data(), file.size());
  return file;
}

bool open(vsh_recipient_kind kind, const Bytes& bytes) {
  bool depends;
  const std::string what = "opening";
  const Bytes file = seal(kind, bytes, depends);
  const vsh_recipient right = recipient(kind, bytes, 0);
  Bytes other = bytes, plaintext(kLen), slot(VSH_SEALED_MIN_SLOT_LEN);
  other[0] ^= 1;
  const vsh_recipient wrong = recipient(kind, other, 0);
  vsh_opener* opener = nullptr;
  must(what, vsh_opener_new(&opener, file.data(), file.size(), 0, nullptr));
  depends = depends && vsh_opener_unlock(opener, &wrong) == VSH_E_WRONG_KEY;
  must(what, vsh_opener_unlock(opener, &right));
  size_t len = 0, rest = 0, first;
  must(what, vsh_opener_update(opener, plaintext.data(), kLen, &len, &file[kHeader], file.size() - kHeader));
  must(what, vsh_opener_final(opener, &plaintext[len], kLen - len, &rest));
  must(what, vsh_opener_rekey(opener, slot.data(), slot.size(), &first, nullptr, 0, nullptr, 0));
  vsh_opener_free(opener);
  return depends && is_secret(plaintext.data(), kLen) && is_secret(slot.data(), slot.size());
}

}  // namespace

void add_sealed(Cases& cases) {
  cases.push_back({"sealed/key", Expect::clean, true, [] { return open(VSH_RECIPIENT_KEY, secret(40)); }});
  cases.push_back(
      {"sealed/passphrase", Expect::clean, true, [] { return open(VSH_RECIPIENT_PASSPHRASE, secret(11)); }});
}

}  // namespace vsh::test
