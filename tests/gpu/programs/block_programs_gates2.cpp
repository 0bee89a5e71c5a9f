// With the circuits of two-input gates, as OpenCL runs them.
#define VSH_HAS_LUT3 0
#define VSH_PROGRAMS block_programs_gates2
#include "gpu/programs/block_programs.inc"
