// The programs `magma` and `kuznyechik` for the player, with circuits of three-input or two-input gates.
#pragma once

#include "gpu/programs/player.hpp"

namespace vsh::test {

const PlayedPrograms& block_programs_lut3();
const PlayedPrograms& block_programs_gates2();

}  // namespace vsh::test
