# The program `vershina-tunnel`: Linux only. All but its commands in a library, for tests and fuzz targets.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(STATUS "vershina-tunnel: left out (it needs Linux)")
  return()
endif()
file(GLOB tunnel_sources CONFIGURE_DEPENDS programs/tunnel/*.cpp)
set(tunnel_program ${tunnel_sources})
list(FILTER tunnel_program INCLUDE REGEX "/(main|keygen|run)\\.cpp$")
list(REMOVE_ITEM tunnel_sources ${tunnel_program})
add_library(vershina_tunnel STATIC ${tunnel_sources})
target_link_libraries(vershina_tunnel PUBLIC vershina_common)
add_executable(vershina-tunnel ${tunnel_program})
target_link_libraries(vershina-tunnel PRIVATE vershina_tunnel)

# The same without its cipher, for programs/bench/tunnel/run.py; built on request and never installed.
add_executable(vershina-tunnel-bare EXCLUDE_FROM_ALL ${tunnel_program} programs/bench/tunnel/bare_esp.c)
target_include_directories(vershina-tunnel-bare PRIVATE include)
target_link_libraries(vershina-tunnel-bare PRIVATE vershina_tunnel)
target_link_options(vershina-tunnel-bare PRIVATE -Wl,--wrap=vsh_esp_seal_packets -Wl,--wrap=vsh_esp_open_packets)
