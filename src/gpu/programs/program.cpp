#include "gpu/programs/program.hpp"

namespace vsh::gpu {
namespace {

constexpr ProgramText kPrograms[] = {
#include "gpu_programs.inc"
};

}  // namespace

std::span<const ProgramText> program_texts() noexcept { return kPrograms; }

}  // namespace vsh::gpu
