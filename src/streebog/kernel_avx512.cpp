// SPDX-License-Identifier: Apache-2.0
#include "core/kernel.hpp"
#include "simd/bytes_avx512.hpp"
#include "streebog/rows.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_avx512;

constinit const HashKernel vsh_kernel_streebog_avx512 = {
    {"streebog", "avx512", cpu::Isa::avx512, 1, 1, true}, streebog::Rows<BytesAvx512>::absorb, streebog::Rows<BytesAvx512>::compress};

}  // namespace vsh
