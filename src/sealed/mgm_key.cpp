#include "sealed/mgm_key.hpp"

#include "core/wipe.hpp"
#include "kuznyechik/round_keys.hpp"
#include "modes/mgm.hpp"
#include "sealed/format.hpp"

namespace vsh::sealed {
namespace {

BlockEngine make_engine(const BlockChoice& cipher, const uint8_t* key) {
  Wiped<kuznyechik::RoundKeys> round_keys;
  kuznyechik::expand_key_by(&cipher.ladder.one(), *round_keys, key);
  return BlockEngine(cipher, &*round_keys, 1);  // threads take whole chunks
}

}  // namespace

MgmKey::MgmKey(const Suite& suite, const uint8_t* key)
    : engine_(make_engine(suite.cipher, key)), products_(*suite.products) {}

void MgmKey::seal(uint8_t* out, const uint8_t* in, size_t len, const uint8_t* nonce,
                  std::span<const uint8_t> bound) const noexcept {
  modes::Mgm(engine_, products_).seal(out, out + len, nonce, bound.data(), bound.size(), in, len);
}

bool MgmKey::open(uint8_t* out, const uint8_t* in, size_t len, const uint8_t* nonce,
                  std::span<const uint8_t> bound) const noexcept {
  return modes::Mgm(engine_, products_).open(out, in + len, kTagLen, nonce, bound.data(), bound.size(), in, len);
}

}  // namespace vsh::sealed
