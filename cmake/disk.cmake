# Volumes of disks, for the plugin of nbdkit: sectors, formats, stores. It uses the files and errors of cli/.
file(GLOB disk_sources CONFIGURE_DEPENDS disk/formats/*.cpp disk/store/*.cpp disk/volume/*.cpp)
add_library(vershina_disk STATIC ${disk_sources})
target_link_libraries(vershina_disk PUBLIC vershina_cli)
