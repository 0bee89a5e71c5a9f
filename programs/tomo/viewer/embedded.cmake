# The files of the viewer's page: rows of their names and contents, in the generated folder.
set(rows "")
foreach(file IN ITEMS index.html view.css arrays.js mouse.js pane.js plots.js state.js view.js)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/page/${file})
  file(READ ${CMAKE_CURRENT_LIST_DIR}/page/${file} content)
  string(REPLACE "index.html" "" name ${file})  # the page itself has no name
  string(APPEND rows "{\"${name}\", R\"text(${content})text\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/page.inc CONTENT "@rows@" @ONLY)
