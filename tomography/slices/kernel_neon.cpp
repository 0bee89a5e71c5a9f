#include "tomography/slices/row.hpp"

namespace vsh::tomography {

extern constinit const SliceKernel vsh_kernel_slices_neon = slice_row<4>("neon", cpu::Isa::neon);

}  // namespace vsh::tomography
