# The program `vershina`. It carries the library in it, so that it runs from anywhere.
file(GLOB_RECURSE cli_sources CONFIGURE_DEPENDS cli/*.cpp)

# The table of commands and options, its reader, help and texts: for every program of this tree.
set(option_sources
  options/arguments.cpp options/command.cpp options/foreign_names.cpp options/help.cpp options/option_values.cpp
  text/columns.cpp text/hex.cpp text/json.cpp text/text.cpp text/translate.cpp)
list(TRANSFORM option_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/cli/)
list(REMOVE_ITEM cli_sources ${option_sources})
add_library(vershina_options STATIC ${option_sources})
target_include_directories(vershina_options PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/include)
include(cmake/gettext.cmake)

# Scripts for shells, which `vershina completion` prints, as string literals.
foreach(shell IN ITEMS bash fish zsh)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/cli/completion/vershina.${shell})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(READ ${script} content)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/vershina_${shell}.inc
       CONTENT "R\"text(@content@)text\"" @ONLY)
endforeach()

# All but main() in a library: tests and fuzz targets link its parsers, vershina-bench its options and errors.
set(cli_main ${cli_sources})
list(FILTER cli_main INCLUDE REGEX "/main\\.cpp$")
list(FILTER cli_sources EXCLUDE REGEX "/main\\.cpp$")
add_library(vershina_cli STATIC ${cli_sources})
target_include_directories(vershina_cli PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(vershina_cli PUBLIC vershina_options vershina_internal Threads::Threads)
set_source_files_properties(cli/system/companion.cpp PROPERTIES COMPILE_DEFINITIONS
  VSH_INSTALLED_PROGRAMS="${CMAKE_INSTALL_FULL_BINDIR}")
if(VSH_WITH_ARCHIVE)
  target_compile_definitions(vershina_cli PRIVATE VSH_WITH_ARCHIVE=1)
  target_include_directories(vershina_cli SYSTEM PRIVATE ${VSH_ARCHIVE_INCLUDE})
  target_link_libraries(vershina_cli PRIVATE ${CMAKE_DL_LIBS})
endif()
if(VSH_WITH_BENCH)
  target_compile_definitions(vershina_cli PUBLIC VSH_WITH_BENCH=1)
endif()

add_executable(vershina ${cli_main})
target_link_libraries(vershina PRIVATE vershina_cli)
