#include "modes/ctr.hpp"

namespace vsh::modes {

CtrCounter::CtrCounter(const BlockEngine& engine, const uint8_t* iv) noexcept : initial_{} {
  std::memcpy(initial_, iv, engine.block_size() / 2);
}

void CtrCounter::add(const BlockEngine& engine, size_t s, uint8_t* out, const uint8_t* in, uint64_t first,
                     size_t num_units) const {
  const size_t n = engine.block_size();
  uint8_t start[kMaxBlock];
  std::memcpy(start, initial_, sizeof start);
  add_big_endian(start, n, first);
  if (s == n) return engine.ctr(out, in, num_units, start);

  add_keystream(engine, s, out, in, num_units, [&](uint8_t* blocks, size_t begin, size_t num) {
    for (size_t i = 0; i < num; ++i) {
      std::memcpy(blocks + i * n, start, n);
      add_big_endian(blocks + i * n, n, begin + i);
    }
  });
}

}  // namespace vsh::modes
