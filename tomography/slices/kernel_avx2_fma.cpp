#include "tomography/slices/row.hpp"

namespace vsh::tomography {

extern constinit const SliceKernel vsh_kernel_slices_avx2_fma = slice_row<8>("avx2_fma", cpu::Isa::avx2_fma);

}  // namespace vsh::tomography
