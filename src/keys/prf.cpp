#include "keys/prf.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "core/wipe.hpp"

namespace vsh::keys {
namespace {

using Block = Wiped<uint8_t[streebog::kMaxHashBytes]>;

// out = T1 | T2 | …, each T made by next(t, i), which gets the one before in t (T0: nothing, i = 1).
template <class Next>
void chain(Hmac& key, uint8_t* out, size_t len, Next next) noexcept {
  Block t;
  for (size_t i = 1; len > 0; ++i) {
    key.reset();
    next(t.value, i);
    const size_t take = std::min(len, key.size());
    std::memcpy(out, t.value, take);
    out += take;
    len -= take;
  }
  key.reset();
}

}  // namespace

void prf_tls(Hmac& secret, uint8_t* out, size_t len, Bytes label, Bytes seed) noexcept {
  Block a;  // A(i) = HMAC(secret, A(i - 1)), A(0) = label | seed
  chain(secret, out, len, [&](uint8_t* t, size_t i) {
    if (i == 1) {
      secret.update(label);
      secret.update(seed);
    } else {
      secret.update(a.value, secret.size());
    }
    secret.final(a.value);
    secret.reset();
    secret.update(a.value, secret.size());
    secret.update(label);
    secret.update(seed);
    secret.final(t);
  });
}

void prf_ipsec_keymat(Hmac& key, uint8_t* out, size_t len, Bytes seed) noexcept {
  chain(key, out, len, [&](uint8_t* t, size_t i) {
    if (i > 1) key.update(t, key.size());
    key.update(seed);
    key.final(t);
  });
}

void prf_ipsec_prfplus(Hmac& key, uint8_t* out, size_t len, Bytes seed) noexcept {
  assert(len <= prfplus_max_len(key.size()));
  chain(key, out, len, [&](uint8_t* t, size_t i) {
    if (i > 1) key.update(t, key.size());
    key.update(seed);
    key.update(static_cast<uint8_t>(i));
    key.final(t);
  });
}

}  // namespace vsh::keys
