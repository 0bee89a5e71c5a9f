// SPDX-License-Identifier: Apache-2.0
#include "core/kernel.hpp"
#include "simd/bytes_avx2.hpp"
#include "streebog/rows.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_avx2;

constinit const HashKernel vsh_kernel_streebog_avx2 = {
    {"streebog", "avx2", cpu::Isa::avx2, 1, 1, true}, streebog::Rows<BytesAvx2>::absorb, streebog::Rows<BytesAvx2>::compress};

}  // namespace vsh
