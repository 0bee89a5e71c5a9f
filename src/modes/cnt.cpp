#include "modes/cnt.hpp"

#include "core/bytes.hpp"
#include "magma/cnt_counters.hpp"

namespace vsh::modes {
namespace {

using magma::add_mod, magma::kC1, magma::kC2;

void advance(uint8_t* counter, size_t, uint64_t steps) {
  const magma::CntCounters n = magma::CntCounters::load(counter).after(steps);
  store_le32(counter, n.n3);
  store_le32(counter + 4, n.n4);
}

// Block i is the counter after i + 1 steps.
void write(uint8_t* blocks, size_t, size_t num, const uint8_t* counter) {
  auto [n3, n4] = magma::CntCounters::load(counter);
  // Four independent counters at a time, so that the compiler can use vectors.
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
}

constexpr CounterRule kCnt = {&BlockKernel::cnt, advance, write, Operation::cnt};

}  // namespace

CntCounter::CntCounter(const BlockEngine& engine, const uint8_t* iv) { engine.encrypt_one(start_, iv); }

void CntCounter::add(const BlockEngine& engine, size_t, uint8_t* out, const uint8_t* in, uint64_t first,
                     size_t num_units) const {
  Wiped<uint8_t[8]> counter;
  std::memcpy(counter.value, start_, sizeof start_);
  advance(counter.value, sizeof start_, first);
  engine.add_keystream(kCnt, out, in, num_units, counter.value);
}

void CntCounter::restart(const BlockEngine& engine, uint64_t steps) {
  advance(start_, sizeof start_, steps);
  engine.encrypt_one(start_, start_);
}

}  // namespace vsh::modes
