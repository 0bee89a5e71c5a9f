// rows.hpp as in kernel_neon.cpp, with the SHA3 extension of ARMv8.2: compilers merge its XORs by pairs into EOR3.
#include "core/kernel.hpp"
#include "simd/bytes_neon.hpp"
#include "streebog/rows.hpp"

namespace vsh {
extern const HashKernel vsh_kernel_streebog_neon_sha3;

namespace {
using Kernel = streebog::Rows<BytesNeon>;
}

constinit const HashKernel vsh_kernel_streebog_neon_sha3 =
    streebog::hash_row<Kernel>("neon_sha3", cpu::Isa::neon_sha3, 2100);

}  // namespace vsh
