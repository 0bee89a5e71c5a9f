# Volumes of disks, for the plugin of nbdkit and the program `vershina-disk`: sectors, formats, stores. It uses the
# files, options and errors of cli/; nothing there uses it.
file(GLOB disk_sources CONFIGURE_DEPENDS disk/formats/*.cpp disk/store/*.cpp disk/volume/*.cpp)
if(NOT VSH_WITH_CRYPTSETUP)
  list(FILTER disk_sources EXCLUDE REGEX "/luks2[^/]*$")
endif()
add_library(vershina_disk STATIC ${disk_sources})
target_link_libraries(vershina_disk PUBLIC vershina_cli)
# Under the prefix, so that it may be moved; with /usr that is nbdkit's own directory, where `nbdkit vershina` finds it.
set(VSH_NBDKIT_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR}/nbdkit/plugins CACHE STRING "Where the plugin is installed to")
if(NOT VSH_WITH_CRYPTSETUP)
  return()
endif()
target_compile_definitions(vershina_disk PUBLIC VSH_WITH_CRYPTSETUP=1)
target_include_directories(vershina_disk SYSTEM PRIVATE ${VSH_CRYPTSETUP_INCLUDE})
target_link_libraries(vershina_disk PUBLIC json PRIVATE ${VSH_CRYPTSETUP_LIBRARY})

set(installed_plugins ${VSH_NBDKIT_PLUGIN_DIR})
if(NOT IS_ABSOLUTE ${installed_plugins})
  set(installed_plugins ${CMAKE_INSTALL_PREFIX}/${installed_plugins})
endif()

file(GLOB disk_program CONFIGURE_DEPENDS disk/main.cpp disk/commands/*.cpp)
add_executable(vershina-disk ${disk_program})
target_compile_definitions(vershina-disk PRIVATE VSH_INSTALLED_PLUGINS="${installed_plugins}")
target_include_directories(vershina-disk SYSTEM PRIVATE ${VSH_BLKID_INCLUDE})
target_link_libraries(vershina-disk PRIVATE vershina_disk ${VSH_BLKID_LIBRARY})
