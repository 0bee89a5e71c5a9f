// The device programs of this build, each one text: src/gpu/kernels/<name>.c with all that it includes, circuits too
// (cmake/gpu.cmake makes them). The same text goes to NVRTC and to OpenCL compilers.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace vsh::gpu {

struct ProgramText {
  // Of literals. Lengths by sizeof: Clang counts no text of this length in a constant expression.
  template <size_t kName, size_t kText>
  constexpr ProgramText(const char (&name_literal)[kName], const char (&text_literal)[kText]) noexcept
      : name(name_literal, kName - 1), text(text_literal, kText - 1) {}
  std::string_view name;  // "magma"
  std::string_view text;
};

std::span<const ProgramText> program_texts() noexcept;

}  // namespace vsh::gpu
