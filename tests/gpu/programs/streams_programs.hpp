// The programs magma_streams, kuznyechik_streams and kuznyechik_keys for the emulated device.
#pragma once

#include "gpu/programs/emulated_device.hpp"

namespace vsh::test {

const EmulatedPrograms& streams_programs();

}  // namespace vsh::test
