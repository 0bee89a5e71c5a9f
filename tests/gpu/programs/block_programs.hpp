// The programs `magma` and `kuznyechik` for the emulated device, with circuits of three-input or two-input gates.
#pragma once

#include "gpu/programs/emulated_device.hpp"

namespace vsh::test {

const EmulatedPrograms& block_programs_lut3();
const EmulatedPrograms& block_programs_gates2();

}  // namespace vsh::test
