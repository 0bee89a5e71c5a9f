# VSH_HARDENING: what makes errors of memory harder to exploit, as far as this compiler and processor have it.
# Everything is compiled so; tests/hardening.sh looks at what came out.
include(CheckCXXCompilerFlag)
set(VSH_HARDENING -fstack-protector-strong)
# Landing pads of indirect jumps, and return addresses: CET on x86-64, BTI and PAC on AArch64. Large frames do not pass
# over a guard page.
set(CMAKE_REQUIRED_FLAGS -Werror) # Clang only warns of flags for other processors
foreach(flag IN ITEMS -fcf-protection=full -mbranch-protection=standard -fstack-clash-protection)
  string(MAKE_C_IDENTIFIER "VSH_HAVE${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    list(APPEND VSH_HARDENING ${flag})
  endif()
endforeach()
unset(CMAKE_REQUIRED_FLAGS)
if(NOT VSH_SANITIZE)
  # -U first: some distributions predefine it.
  list(APPEND VSH_HARDENING $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE>
              $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=3>)
endif()
