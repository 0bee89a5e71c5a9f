# Flags of every target. No -march=native: one binary carries all kernels (isa.def has their flags).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_options(-Wall -Wextra -fstack-protector-strong)
if(VSH_WERROR)
  add_compile_options(-Werror)
endif()
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-fno-semantic-interposition VSH_HAVE_NO_SEMANTIC_INTERPOSITION)
if(VSH_HAVE_NO_SEMANTIC_INTERPOSITION)
  add_compile_options(-fno-semantic-interposition)
endif()

# CMake's own Release says -O3; only kernels gain from it (library.cmake gives it back to them).
add_compile_options($<$<CONFIG:Release>:-O2>)
# A straight-line cipher of thousands of statements at -O0 spills every one of them: too slow to test with.
add_compile_options($<$<CONFIG:Debug>:-Og>)

if(VSH_SANITIZE)
  add_compile_options(-fsanitize=${VSH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${VSH_SANITIZE})
else()
  # -U first: some distributions predefine it.
  add_compile_options($<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE>
                      $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=2>)
endif()
if(VSH_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()
