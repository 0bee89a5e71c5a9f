# The program `vershina-bench`, which does `vershina tune` and, with VSH_WITH_BENCH, `vershina bench`.

# Clocks and the machine; of the library it asks for the CPU alone.
file(GLOB measure_sources CONFIGURE_DEPENDS measure/*.cpp)
add_library(vershina_measure STATIC ${measure_sources})
target_include_directories(vershina_measure PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(vershina_measure PRIVATE VSH_MEASURE_CXX_FLAGS="${CMAKE_CXX_FLAGS} -O3")
target_link_libraries(vershina_measure PUBLIC vershina_internal ${CMAKE_DL_LIBS})

# All but main() in a library, for tests.
file(GLOB bench_sources CONFIGURE_DEPENDS programs/bench/*.cpp programs/bench/*/*.cpp)
list(FILTER bench_sources EXCLUDE REGEX "/programs/bench/tomography/figures\\.cpp$")
if(NOT VSH_WITH_TOMOGRAPHY)
  list(FILTER bench_sources EXCLUDE REGEX "/programs/bench/(tomography/|tune/(tomography|measure_slices)\\.cpp)")
endif()
if(NOT VSH_WITH_BENCH)
  list(FILTER bench_sources INCLUDE REGEX "/bench/(main\\.cpp|tune/.*)$")
endif()
set(bench_main ${bench_sources})
list(FILTER bench_main INCLUDE REGEX "/bench/main\\.cpp$")
list(FILTER bench_sources EXCLUDE REGEX "/bench/main\\.cpp$")
add_library(vershina_bench STATIC ${bench_sources})
vsh_unite(vershina_bench "/(peers|studies|tune)/")
target_link_libraries(vershina_bench PUBLIC vershina_common vershina_measure)
if(VSH_WITH_BENCH)
  include(programs/bench/embedded.cmake)
  target_link_libraries(vershina_bench PUBLIC json tomlplusplus)
endif()
if(VSH_WITH_TOMOGRAPHY)
  target_compile_definitions(vershina_bench PUBLIC VSH_WITH_TOMOGRAPHY=1)
  target_link_libraries(vershina_bench PUBLIC vershina_tomography_static)
  # Times of the published sets; built by its name only.
  add_executable(tomography-figures EXCLUDE_FROM_ALL programs/bench/tomography/figures.cpp)
  target_link_libraries(tomography-figures PRIVATE vershina_tomography_static)
endif()

add_executable(vershina-bench ${bench_main})
target_link_libraries(vershina-bench PRIVATE vershina_bench)
