#include "keys/kexp15.hpp"

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

// Twice through the input: nothing is written before all of it has been checked.
bool kimp15(ExportKeys keys, uint8_t* secret, size_t secret_len, const uint8_t* iv, const uint8_t* in) {
  const StackEraser eraser;
  const size_t n = keys.mac.block_size();
  Wiped<uint8_t[modes::kMaxBlock]> tag, expected;
  {
    modes::Mac mac(keys.mac);
    mac.update(iv, n / 2);
    Ctr ctr(keys.enc, iv);
    modes::Scratch scratch;
    for (size_t done = 0; done < secret_len;) {
      const size_t step = std::min(secret_len - done, modes::Scratch::kSize);
      uint8_t* const piece = scratch.use(step);
      ctr.process(piece, in + done, step);
      mac.update(piece, step);
      done += step;
    }
    mac.final(expected.value);
    ctr.process(tag.value, in + secret_len, n);
    wipe(&mac, sizeof mac);
    wipe(&ctr, sizeof ctr);
  }
  if (!equal_constant_time(tag.value, expected.value, n)) return false;
  Ctr ctr(keys.enc, iv);
  ctr.process(secret, in, secret_len);
  wipe(&ctr, sizeof ctr);
  return true;
}

}  // namespace vsh::keys
