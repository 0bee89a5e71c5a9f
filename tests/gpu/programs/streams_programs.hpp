// The programs magma_streams, kuznyechik_streams and kuznyechik_keys for the player.
#pragma once

#include "gpu/programs/player.hpp"

namespace vsh::test {

const PlayedPrograms& streams_programs();

}  // namespace vsh::test
