// The program gf2n for the player.
#pragma once

#include "gpu/programs/player.hpp"

namespace vsh::test {

const PlayedPrograms& products_programs();

}  // namespace vsh::test
