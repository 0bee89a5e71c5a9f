// The program gf2n for the emulated device, for both sizes of blocks.
#include "gpu/programs/products_programs.hpp"
#include "gpu/kernels/planes.h"

#define VSH_GROUP 128

namespace {

#define VSH_WORDS 2
namespace words_2 {
#include "gpu/kernels/gf2n.c"
const vsh::test::EmulatedKernels kKernels = {VSH_ENTRY(products), VSH_ENTRY(fold)};
}  // namespace words_2
#undef VSH_WORDS
#undef VSH_LEAVES
#undef VSH_HOLES
#undef VSH_BLOCKS_H
#undef VSH_PRODUCTS_H
#define VSH_WORDS 4
namespace words_4 {
#include "gpu/kernels/gf2n.c"
const vsh::test::EmulatedKernels kKernels = {VSH_ENTRY(products), VSH_ENTRY(fold)};
}  // namespace words_4

}  // namespace

const vsh::test::EmulatedPrograms& vsh::test::products_programs() {
  static const EmulatedPrograms all = {{{"gf2n", "-DVSH_WORDS=2"}, words_2::kKernels},
                                       {{"gf2n", "-DVSH_WORDS=4"}, words_4::kKernels}};
  return all;
}
