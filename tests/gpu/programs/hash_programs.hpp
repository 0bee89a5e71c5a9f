// The program streebog for the emulated device, with circuits of three-input or two-input gates.
#pragma once

#include "gpu/programs/emulated_device.hpp"

namespace vsh::test {

const EmulatedPrograms& hash_programs_lut3();
const EmulatedPrograms& hash_programs_gates2();

}  // namespace vsh::test
