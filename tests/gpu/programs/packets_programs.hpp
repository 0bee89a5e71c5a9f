// The programs mgm, and those of streams in ECB, for the player.
#pragma once

#include "gpu/programs/player.hpp"

namespace vsh::test {

const PlayedPrograms& packets_programs();

}  // namespace vsh::test
