# Texts embedded in the program, as string literals in the generated folder: the published figures
# (report/published.cpp), the C source that a study compiles (studies/plain_streebog.cpp), and the script that runs
# other programs of tomography, behind the network that it times (tomography/peers.cpp).
foreach(text IN ITEMS published/published.toml studies/streebog_plain.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/${text})
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${text} content)
  get_filename_component(name ${text} NAME)
  string(REPLACE "." "_" name ${name})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/${name}.inc CONTENT "R\"text(@content@)text\"" @ONLY)
endforeach()
set(script ${CMAKE_CURRENT_LIST_DIR}/tomography/peers.py)
set(network ${CMAKE_CURRENT_LIST_DIR}/../tomo/segmentation/unet.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script} ${network})
file(READ ${script} content)
file(READ ${network} unet)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/tomography_peers_py.inc
     CONTENT "R\"text(UNET = r'''@unet@'''\n@content@)text\"" @ONLY)
