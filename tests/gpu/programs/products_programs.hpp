// The program gf2n for the emulated device.
#pragma once

#include "gpu/programs/emulated_device.hpp"

namespace vsh::test {

const EmulatedPrograms& products_programs();

}  // namespace vsh::test
