// For tools/instructions.sh: runs `count` passes of one block kernel over zeros (the instructions do not depend on
// data).
#include <cstdint>
#include <cstdlib>

#include "core/kernel.hpp"
#include "kuznyechik/round_keys.hpp"
#include "magma/round_keys.hpp"

namespace vsh {
extern const BlockKernel VSH_ROW;
}

int main(int, char** arguments) {
  const vsh::BlockKernel& row = vsh::VSH_ROW;
  const auto count = static_cast<size_t>(std::atoi(arguments[1]));
  alignas(64) static uint8_t schedule[1 << 17], data[1 << 20];
  alignas(64) static uint8_t round_keys[sizeof(vsh::kuznyechik::RoundKeys) + sizeof(vsh::magma::RoundKeys)];
  if (count * row.info.lanes * row.block_size > sizeof data) return 1;
  row.prepare(schedule, round_keys);
  row.encrypt(schedule, data, data, count * row.info.lanes);
  return 0;
}
