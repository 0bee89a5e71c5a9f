#include "tomography/slices/row.hpp"

namespace vsh::tomography {

extern constinit const SliceKernel vsh_kernel_slices_avx512 = slice_row<16>("avx512", cpu::Isa::avx512);

}  // namespace vsh::tomography
