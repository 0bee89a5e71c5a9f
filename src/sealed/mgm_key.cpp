#include "sealed/mgm_key.hpp"

#include "core/wipe.hpp"
#include "gpu/schedule/make_accelerator.hpp"
#include "kuznyechik/round_keys.hpp"
#include "modes/mgm.hpp"
#include "sealed/format.hpp"

namespace vsh::sealed {
namespace {

BlockEngine make_engine(const Suite& suite, const uint8_t* key, MgmKey::Use use) {
  static constexpr Operation kNeeded[] = {Operation::mgm_encrypt, Operation::mgm_decrypt};
  Wiped<kuznyechik::RoundKeys> round_keys;
  kuznyechik::expand_key_by(&suite.cipher.ladder.one(), *round_keys, key);
  std::shared_ptr<Accelerator> devices;
  if (const auto choice = gpu::parse_device(suite.device); choice && use == MgmKey::Use::divided)
    devices = gpu::make_accelerator(*choice, {Algorithm::kuznyechik, &*round_keys, nullptr, kNeeded});
  BlockEngine engine(suite.cipher, &*round_keys, devices ? suite.threads : 1);
  engine.set_accelerator(std::move(devices));
  return engine;
}

}  // namespace

MgmKey::MgmKey(const Suite& suite, const uint8_t* key, Use use)
    : engine_(make_engine(suite, key, use)), products_(*suite.products) {}

void MgmKey::seal(uint8_t* out, const uint8_t* in, size_t len, const uint8_t* nonce,
                  std::span<const uint8_t> bound) const {
  modes::Mgm(engine_, products_).seal(out, out + len, nonce, bound.data(), bound.size(), in, len);
}

bool MgmKey::open(uint8_t* out, const uint8_t* in, size_t len, const uint8_t* nonce,
                  std::span<const uint8_t> bound) const {
  return modes::Mgm(engine_, products_).open(out, in + len, kTagLen, nonce, bound.data(), bound.size(), in, len);
}

}  // namespace vsh::sealed
