#include "tomography/slices/row.hpp"

namespace vsh::tomography {

extern constinit const SliceKernel vsh_kernel_slices_sse41 = slice_row<4>("sse41", cpu::Isa::sse41);

}  // namespace vsh::tomography
