# The catalogue of messages of the programs. In the build tree it lies where an installation has it below its prefix, so
# that programs find it there too.
if(NOT VSH_WITH_GETTEXT)
  return()
endif()
if(NOT VSH_MSGFMT OR NOT Intl_FOUND)
  message(FATAL_ERROR "VSH_WITH_GETTEXT needs msgfmt and libintl.h")
endif()

file(RELATIVE_PATH from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LOCALEDIR})
set(definitions VSH_WITH_GETTEXT=1 VSH_CATALOGUES_FROM_PROGRAM="${from_program}"
    VSH_INSTALLED_CATALOGUES="${CMAKE_INSTALL_FULL_LOCALEDIR}")
set_source_files_properties(programs/common/system/language.cpp programs/common/text/translate.cpp PROPERTIES
  COMPILE_DEFINITIONS "${definitions}")
target_link_libraries(vershina_options PUBLIC ${Intl_LIBRARIES})

set(catalogue ${CMAKE_CURRENT_BINARY_DIR}/share/locale/ru/LC_MESSAGES/vershina.mo)
cmake_path(GET catalogue PARENT_PATH folder)
add_custom_command(OUTPUT ${catalogue}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
  COMMAND ${VSH_MSGFMT} --check -o ${catalogue} ${CMAKE_CURRENT_SOURCE_DIR}/programs/po/ru.po
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/programs/po/ru.po VERBATIM)
add_custom_target(catalogues DEPENDS ${catalogue})
add_dependencies(vershina_options catalogues)
install(FILES ${catalogue} DESTINATION ${CMAKE_INSTALL_LOCALEDIR}/ru/LC_MESSAGES)
