# Device programs: src/gpu/kernels/<name>.c with everything that it includes put in its place, circuits too, each as a
# string literal in generated/gpu_programs.inc for src/gpu/programs/program.cpp: compilers at run time see no files.
# Includes are looked for from src/; headers have guards and may come twice. Comments, which may hold more
# than ASCII, stay behind.
set(gpu_programs "")
set(gpu_sources "")
file(GLOB gpu_kernels CONFIGURE_DEPENDS src/gpu/kernels/*.c)
foreach(file IN LISTS gpu_kernels)
  cmake_path(GET file STEM name)
  list(APPEND gpu_sources ${file})
  file(READ ${file} text)
  while(text MATCHES "#include \"([^\"]+)\"")
    set(line "${CMAKE_MATCH_0}")
    set(header ${CMAKE_CURRENT_SOURCE_DIR}/src/${CMAKE_MATCH_1})
    list(APPEND gpu_sources ${header})
    file(READ ${header} included)
    string(REPLACE "${line}" "${included}" text "${text}")
  endwhile()
  string(REGEX REPLACE "[ ]*//[^\n]*" "" text "${text}")
  string(APPEND gpu_programs "{\"${name}\", R\"program(${text})program\"},\n")
endforeach()
list(REMOVE_DUPLICATES gpu_sources)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${gpu_sources})
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/gpu_programs.inc CONTENT "@gpu_programs@" @ONLY)
