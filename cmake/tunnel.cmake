# The program `vershina-tunnel`: Linux only. All but its commands in a library, for tests and fuzz targets. It uses the
# files, options and errors of cli/; nothing there uses it.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(STATUS "vershina-tunnel: left out (it needs Linux)")
  return()
endif()
set(tunnel_sources tunnel/hello.cpp tunnel/key_file.cpp tunnel/net.cpp tunnel/queue.cpp tunnel/segments.cpp
                   tunnel/state_file.cpp tunnel/statistics.cpp)
add_library(vershina_tunnel STATIC ${tunnel_sources})
target_link_libraries(vershina_tunnel PUBLIC vershina_cli)
add_executable(vershina-tunnel tunnel/main.cpp tunnel/keygen.cpp tunnel/run.cpp)
target_link_libraries(vershina-tunnel PRIVATE vershina_tunnel)

# The same without its cipher, for bench/tunnel/run.py; built on request and never installed.
add_executable(vershina-tunnel-bare EXCLUDE_FROM_ALL tunnel/main.cpp tunnel/keygen.cpp tunnel/run.cpp
               bench/tunnel/bare_esp.c)
target_include_directories(vershina-tunnel-bare PRIVATE include)
target_link_libraries(vershina-tunnel-bare PRIVATE vershina_tunnel)
target_link_options(vershina-tunnel-bare PRIVATE -Wl,--wrap=vsh_esp_seal_packets -Wl,--wrap=vsh_esp_open_packets)
