// The program streebog for the player, with circuits of three-input or two-input gates.
#pragma once

#include "gpu/programs/player.hpp"

namespace vsh::test {

const PlayedPrograms& hash_programs_lut3();
const PlayedPrograms& hash_programs_gates2();

}  // namespace vsh::test
