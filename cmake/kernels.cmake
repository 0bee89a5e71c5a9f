# Reads src/isa.def and src/kernels.def, the only lists, and yields for this target architecture:
#   VSH_KERNEL_SOURCES   one file per row that the architecture can have
#   kernels_built.def    the same rows for core/registry.cpp
# (tomography.cmake does the same with its own list of kernels.)
# A row whose file this compiler cannot compile (an assembler or compiler too old) is an error, not a silent gap.

# VSH_ARCH may be given: the preset e2k-sim builds the Elbrus rows on x86-64.
if(DEFINED VSH_ARCH)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(VSH_ARCH x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(VSH_ARCH aarch64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^e2k")
  set(VSH_ARCH e2k)
else()
  set(VSH_ARCH other)
endif()

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/src/isa.def)

# A sanitizer sees nothing of rows that this machine cannot run, and trebles their compile time.
set(VSH_CPU_FLAGS "")
if(VSH_SANITIZE AND NOT CMAKE_CROSSCOMPILING AND VSH_ARCH STREQUAL "x86_64" AND EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo VSH_CPU_FLAGS LIMIT_COUNT 1 REGEX "^flags")
endif()

file(STRINGS src/isa.def isa_lines REGEX "^VSH_ISA\\(")
foreach(line IN LISTS isa_lines)
  if(NOT line MATCHES "^VSH_ISA\\(([a-z0-9_]+), ([a-z0-9_|]+), \"([^\"]*)\", .*\\)$")
    message(FATAL_ERROR "src/isa.def: cannot read: ${line}")
  endif()
  set(tag ${CMAKE_MATCH_1})
  string(REPLACE "|" ";" architectures "${CMAKE_MATCH_2}")
  separate_arguments(VSH_ISA_FLAGS_${tag} UNIX_COMMAND "${CMAKE_MATCH_3}")
  if(VSH_EMULATE AND tag MATCHES "avx512|gfni|vpclmul")
    # Emulated vectors of 64 bytes are passed in memory; GCC notes an ABI change.
    set(VSH_ISA_FLAGS_${tag} -mavx2 -DVSH_EMULATED=1 -Wno-psabi)
  endif()
  foreach(flag IN LISTS VSH_ISA_FLAGS_${tag})
    string(REPLACE "-m" "" feature "${flag}")
    if(VSH_CPU_FLAGS AND feature MATCHES "^(avx|gfni|vpclmul)" AND NOT "${VSH_CPU_FLAGS} " MATCHES " ${feature} ")
      list(APPEND VSH_ISA_FLAGS_${tag} -fno-sanitize=all)
      break()
    endif()
  endforeach()
  if("any" IN_LIST architectures OR VSH_ARCH IN_LIST architectures)
    set(VSH_ISA_HERE_${tag} TRUE)
  else()
    set(VSH_ISA_HERE_${tag} FALSE)
  endif()
endforeach()

# Reads a list of kernels: `list` has lines VSH_<KIND>_KERNEL(family, variant, tag), each of which stands for
# <root>/<family>/kernel_<variant>.cpp. Sets `sources` to the files of this architecture and writes their rows to
# generated/<output>.
function(vsh_read_kernels list root sources output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${list})
  list(JOIN ARGN "|" kinds)
  set(found)
  set(listed_kernels)
  set(rows "")
  file(STRINGS ${list} kernel_lines REGEX "^VSH_(${kinds})_KERNEL\\(")
  foreach(line IN LISTS kernel_lines)
    if(NOT line MATCHES "^VSH_(${kinds})_KERNEL\\(([a-z0-9]+), ([a-z0-9_]+), ([a-z0-9_]+)\\)$")
      message(FATAL_ERROR "${list}: cannot read: ${line}")
    endif()
    set(family ${CMAKE_MATCH_2})
    set(variant ${CMAKE_MATCH_3})
    set(tag ${CMAKE_MATCH_4})
    if(NOT DEFINED VSH_ISA_HERE_${tag})
      message(FATAL_ERROR "${list}: no such tag in isa.def: ${line}")
    endif()
    set(source ${root}/${family}/kernel_${variant}.cpp)
    list(APPEND listed_kernels ${source})
    if(VSH_ISA_HERE_${tag})
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${VSH_ISA_FLAGS_${tag}}")
      list(APPEND found ${source})
      string(APPEND rows "${line}\n")
    endif()
  endforeach()
  # The including file defines the macros of the kinds of rows that it needs; the others are empty.
  set(defaults "")
  set(undefs "")
  foreach(kind IN LISTS ARGN)
    string(APPEND defaults "#ifndef VSH_${kind}_KERNEL\n#define VSH_${kind}_KERNEL(family, variant, isa)\n#endif\n")
    string(APPEND undefs "#undef VSH_${kind}_KERNEL\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/${output}
       CONTENT "${defaults}${rows}${undefs}" @ONLY)

  # The other way round: a kernel file without a line in the list would silently be left out.
  file(GLOB kernel_files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${root}/*/kernel_*.cpp)
  foreach(source IN LISTS kernel_files)
    if(NOT source IN_LIST listed_kernels)
      message(FATAL_ERROR "${source} has no line in ${list}")
    endif()
  endforeach()
  set(${sources} ${found} PARENT_SCOPE)
endfunction()

vsh_read_kernels(src/kernels.def src VSH_KERNEL_SOURCES kernels_built.def BLOCK HASH HASH_LANES PRODUCT)
