// SPDX-License-Identifier: Apache-2.0
#include "core/kernel.hpp"
#include "simd/bytes_neon.hpp"
#include "streebog/rows.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_neon;

constinit const HashKernel vsh_kernel_streebog_neon = {
    {"streebog", "neon", cpu::Isa::neon, 1, 1, true}, streebog::Rows<BytesNeon>::absorb, streebog::Rows<BytesNeon>::compress};

}  // namespace vsh
