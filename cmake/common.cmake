# programs/common, shared by the programs, over the public headers and libvershina, which each program contains, so that
# it runs from anywhere. Nothing there uses a program.

# The table of commands and options, its reader, help and texts: for tests and the generator of documents, too.
set(option_sources
  options/arguments.cpp options/command.cpp options/foreign_names.cpp options/help.cpp options/option_values.cpp
  text/columns.cpp text/hex.cpp text/json.cpp text/text.cpp text/translate.cpp)
list(TRANSFORM option_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/programs/common/)
add_library(vershina_options STATIC ${option_sources})
vsh_unite(vershina_options)
target_include_directories(vershina_options PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/include)
include(cmake/gettext.cmake)

# Scripts for shells, which `vershina completion` prints, as string literals.
foreach(shell IN ITEMS bash fish zsh)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/programs/common/completion/vershina.${shell})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(READ ${script} content)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/vershina_${shell}.inc
       CONTENT "R\"text(@content@)text\"" @ONLY)
endforeach()

file(GLOB common_sources CONFIGURE_DEPENDS programs/common/*/*.cpp)
list(REMOVE_ITEM common_sources ${option_sources})
add_library(vershina_common STATIC ${common_sources})
vsh_unite(vershina_common)
target_link_libraries(vershina_common PUBLIC vershina_options vershina_internal Threads::Threads)
target_compile_definitions(vershina_common PRIVATE VSH_INSTALLED_PROGRAMS="${CMAKE_INSTALL_FULL_BINDIR}")
if(VSH_WITH_BENCH)
  target_compile_definitions(vershina_common PUBLIC VSH_WITH_BENCH=1)
endif()
