// The programs mgm, and those of streams in ECB, for the emulated device.
#pragma once

#include "gpu/programs/emulated_device.hpp"

namespace vsh::test {

const EmulatedPrograms& packets_programs();

}  // namespace vsh::test
