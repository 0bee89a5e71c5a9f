// SPDX-License-Identifier: Apache-2.0
#include "core/kernel.hpp"
#include "simd/bytes_sse41.hpp"
#include "streebog/rows.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_sse41;

constinit const HashKernel vsh_kernel_streebog_sse41 = {
    {"streebog", "sse41", cpu::Isa::sse41, 1, 1, true}, streebog::Rows<BytesSse41>::absorb, streebog::Rows<BytesSse41>::compress};

}  // namespace vsh
