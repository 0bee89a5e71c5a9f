// With the circuits of three-input gates, as CUDA runs them.
#define VSH_HAS_LUT3 1
#define VSH_GROUP 128
#include "gpu/programs/hash_programs.hpp"

namespace {
#include "gpu/kernels/streebog.c"
}  // namespace

const vsh::test::EmulatedPrograms& vsh::test::hash_programs_lut3() {
  static const EmulatedPrograms all = {{{"streebog", ""}, {VSH_ENTRY(make_constants), VSH_ENTRY(hash)}}};
  return all;
}
