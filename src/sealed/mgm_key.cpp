#include "sealed/mgm_key.hpp"

#include "keys/cipher_key.hpp"
#include "modes/mgm.hpp"
#include "sealed/format.hpp"

namespace vsh::sealed {
namespace {

BlockEngine make_engine(const Suite& suite, const uint8_t* key, const Devices* devices) {
  const keys::CipherKey expanded(Algorithm::kuznyechik, key, &suite.cipher.ladder.one());
  std::shared_ptr<Accelerator> accelerator = devices ? devices->accelerator(expanded) : nullptr;
  BlockEngine engine(suite.cipher, expanded, accelerator ? suite.threads : 1);
  engine.set_accelerator(std::move(accelerator));
  return engine;
}

}  // namespace

MgmKey::MgmKey(const Suite& suite, const uint8_t* key, const Devices* devices)
    : engine_(make_engine(suite, key, devices)), products_(*suite.products) {}

void MgmKey::seal(uint8_t* out, const uint8_t* in, size_t len, const uint8_t* nonce,
                  std::span<const uint8_t> bound) const {
  modes::Mgm(engine_, products_).seal(out, out + len, nonce, bound.data(), bound.size(), in, len);
}

bool MgmKey::open(uint8_t* out, const uint8_t* in, size_t len, const uint8_t* nonce,
                  std::span<const uint8_t> bound) const {
  return modes::Mgm(engine_, products_).open(out, in + len, kTagLen, nonce, bound.data(), bound.size(), in, len);
}

}  // namespace vsh::sealed
