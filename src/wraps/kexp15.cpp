#include "wraps/kexp15.hpp"

#include <cstring>

#include "modes/ctr.hpp"
#include "modes/mac.hpp"

namespace vsh::keys {
namespace {

// CTR with s = n.
class Ctr : public modes::Ctr {
 public:
  Ctr(const BlockEngine& engine, const uint8_t* iv) : modes::Ctr(engine, iv, engine.block_size()) {}
};

}  // namespace

void kexp15(ExportKeys keys, uint8_t* out, const uint8_t* iv, const uint8_t* secret, size_t secret_len) {
  const size_t n = keys.mac.block_size();
  Wiped<uint8_t[modes::kMaxBlock]> tag;
  modes::Mac mac(keys.mac);
  mac.update(iv, n / 2);
  mac.update(secret, secret_len);
  mac.final(tag.value);
  Ctr ctr(keys.enc, iv);
  ctr.process(out, secret, secret_len);
  ctr.process(out + secret_len, tag.value, n);
  wipe(&mac, sizeof mac);
  wipe(&ctr, sizeof ctr);
}

// Reads the input once. A secret that fits working memory is kept there until it is verified.
bool kimp15(ExportKeys keys, uint8_t* secret, size_t secret_len, const uint8_t* iv, const uint8_t* in) {
  const StackEraser eraser;
  const size_t n = keys.mac.block_size();
  uint8_t copy[modes::kMaxBlock / 2];
  std::memcpy(copy, iv, n / 2);
  const auto unwrap_to = [&](uint8_t* plain) {
    Wiped<uint8_t[modes::kMaxBlock]> tag, expected;
    modes::Mac mac(keys.mac);
    mac.update(copy, n / 2);
    Ctr ctr(keys.enc, copy);
    ctr.process(plain, in, secret_len);
    mac.update(plain, secret_len);
    mac.final(expected.value);
    ctr.process(tag.value, in + secret_len, n);
    wipe(&mac, sizeof mac);
    wipe(&ctr, sizeof ctr);
    return equal_constant_time(tag.value, expected.value, n);
  };
  if (secret_len > modes::Scratch::kSize)
    return modes::release_or_erase(
        secret, in, secret_len, [&] { return unwrap_to(secret); },
        [&] {
          Ctr ctr(keys.enc, copy);
          ctr.process(secret, in, secret_len);
          wipe(&ctr, sizeof ctr);
        });
  modes::Scratch scratch;
  uint8_t* const plain = scratch.use(secret_len);
  if (!unwrap_to(plain)) return false;
  std::memcpy(secret, plain, secret_len);
  return true;
}

}  // namespace vsh::keys
