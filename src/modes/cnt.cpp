#include "modes/cnt.hpp"

#include "core/bytes.hpp"

namespace vsh::modes {
namespace {

// x modulo 2^32 - 1, called 0 for x = 0 alone: any number of such additions at once. Without a division,
// whose time could depend on x.
constexpr uint32_t reduce(uint64_t x) noexcept {
  constexpr uint64_t kM = 0xffffffff;
  x = (x & kM) + (x >> 32);
  return static_cast<uint32_t>((x & kM) + (x >> 32));
}
static_assert(reduce(0) == 0 && reduce(0xffffffff) == 0xffffffff && reduce(0x100000000) == 1);
static_assert(reduce(UINT64_MAX) == 0xffffffff);

}  // namespace

CntCounter::CntCounter(const BlockEngine& engine, const uint8_t* iv) {
  Wiped<uint8_t[8]> s;
  engine.encrypt_one(s.value, iv);
  n3_ = load_le32(s.value);
  n4_ = load_le32(s.value + 4);
}

void CntCounter::add(const BlockEngine& engine, size_t s, uint8_t* out, const uint8_t* in, uint64_t first,
                     size_t num_units) const {
  add_gamma(engine, s, out, in, num_units, [&](uint8_t* blocks, size_t begin, size_t num) {
    // Before block number `begin` there have been this many steps.
    const uint64_t steps = first + begin;
    uint32_t n3 = n3_ + static_cast<uint32_t>(steps) * kC2;
    uint32_t n4 = reduce(n4_ + uint64_t{reduce(steps)} * kC1);  // the sum is below 2^57
    // Four at a time, which do not wait for each other: vectors for the compiler. ([+]' is associative, and
    // nothing that it yields is called 0.)
    size_t i = 0;
    for (; i + 4 <= num; i += 4) {
      uint32_t counters[8];
      for (uint32_t k = 0; k < 4; ++k) {
        counters[2 * k] = n3 + (k + 1) * kC2;
        counters[2 * k + 1] = add_mod(n4, (k + 1) * kC1);
      }
      for (uint32_t k = 0; k < 8; ++k) store_le32(blocks + 8 * i + 4 * k, counters[k]);
      n3 += 4 * kC2;
      n4 = add_mod(n4, 4 * kC1);
    }
    for (; i < num; ++i) {
      store_le32(blocks + 8 * i, n3 += kC2);
      store_le32(blocks + 8 * i + 4, n4 = add_mod(n4, kC1));
    }
  });
}

}  // namespace vsh::modes
