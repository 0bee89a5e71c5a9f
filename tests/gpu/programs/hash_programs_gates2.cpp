// With the circuits of two-input gates, as OpenCL runs them.
#define VSH_HAS_LUT3 0
#define VSH_GROUP 128
#include "gpu/programs/hash_programs.hpp"

namespace {
#include "gpu/kernels/streebog.c"
}  // namespace

const vsh::test::PlayedPrograms& vsh::test::hash_programs_gates2() {
  static const PlayedPrograms all = {{{"streebog", ""}, {VSH_PLAYED(make_constants), VSH_PLAYED(hash)}}};
  return all;
}
