# The files of the viewer's page, as string literals in the generated folder.
foreach(file IN ITEMS index.html view.css arrays.js plots.js view.js)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/page/${file})
  file(READ ${CMAKE_CURRENT_LIST_DIR}/page/${file} content)
  string(REPLACE "." "_" name ${file})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/page_${name}.inc CONTENT "R\"text(@content@)text\"" @ONLY)
endforeach()
