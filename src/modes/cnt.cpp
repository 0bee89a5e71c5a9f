#include "modes/cnt.hpp"

#include "core/bytes.hpp"

namespace vsh::modes {
namespace {

constexpr uint32_t kC1 = 0x01010104;
constexpr uint32_t kC2 = 0x01010101;
constexpr uint64_t kM = 0xffffffff;  // 2^32 - 1

// x modulo 2^32 - 1 without a division, whose time could depend on x. Zero is written as 2^32 - 1 unless x is 0: what
// the RFC's addition does, which subtracts 2^32 - 1 only from sums of 2^32 and more. A counter is the sum of the
// starting value and at least one C1, so it is never 0, just as step by step.
constexpr uint64_t reduce(uint64_t x) noexcept {
  x = (x & kM) + (x >> 32);
  return (x & kM) + (x >> 32);
}
static_assert(reduce(kM) == kM && reduce(2 * kM) == kM && reduce(kM + 1) == 1 && reduce(kM * kM) == kM);
static_assert(reduce(UINT64_MAX) == kM);

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
    // Block number i (from 0) has seen i + 1 steps.
    const uint64_t steps = first + begin + 1;
    uint32_t n3 = n3_ + static_cast<uint32_t>(steps) * kC2;
    uint64_t n4 = n4_ + reduce(steps) * kC1;  // below 2^57: not reduced yet
    n4 = reduce(n4);
    for (size_t i = 0; i < num; ++i) {
      store_le64(blocks + 8 * i, n4 << 32 | n3);
      n3 += kC2;
      n4 += kC1;
      n4 = (n4 & kM) + (n4 >> 32);
    }
  });
}

}  // namespace vsh::modes
