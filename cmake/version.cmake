# Reads the version from the public header, and derives the others from it. `cmake -P cmake/version.cmake` prints the
# version and the soname's number.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/vershina/vershina.h version_lines
  REGEX "^#define VSH_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" version_numbers "${version_lines}")
string(REPLACE ";" "." version "${version_numbers}")

# Below 1.0 a new minor version may change the interface (docs/packages.md), and the soname says so.
list(GET version_numbers 0 soversion)
set(compatibility SameMajorVersion)
if(soversion EQUAL 0)
  list(GET version_numbers 1 minor)
  set(soversion 0.${minor})
  set(compatibility SameMinorVersion)
endif()

if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${version} ${soversion}")
endif()
