// With the circuits of three-input gates, as CUDA runs them.
#define VSH_HAS_LUT3 1
#define VSH_PROGRAMS block_programs_lut3
#include "gpu/programs/block_programs.inc"
