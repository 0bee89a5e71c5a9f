#include "tomography/slices/row.hpp"

namespace vsh::tomography {

extern constinit const SliceKernel vsh_kernel_slices_portable = slice_row<4>("portable", cpu::Isa::any);

}  // namespace vsh::tomography
