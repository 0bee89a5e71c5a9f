# libvershina-tomography, shared and static: the second engine on the core of the first one, whose objects (CPU
# detection, threads) come out of the static libvershina. The programs are not here: programs need formats.
vsh_read_kernels(tomography/kernels.def tomography VSH_SLICE_SOURCES slices_built.def SLICE)

file(GLOB tomography_sources CONFIGURE_DEPENDS tomography/slices/*.cpp tomography/geometry/*.cpp
  tomography/filters/*.cpp tomography/fbp/*.cpp tomography/dfr/*.cpp tomography/hfbp/*.cpp tomography/iterative/*.cpp
  tomography/cone/*.cpp tomography/preparation/*.cpp tomography/api/*.cpp)
list(FILTER tomography_sources EXCLUDE REGEX "/kernel_[^/]*$")
add_library(vershina_tomography_objects OBJECT ${tomography_sources})
add_library(vershina_tomography_kernels OBJECT ${VSH_SLICE_SOURCES})
# Loops over lanes are vectors of the compiler: it must keep them whole, and may fuse products with sums.
target_compile_options(vershina_tomography_kernels PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3> -ffp-contract=fast
  -fno-math-errno -fno-trapping-math)
target_compile_options(vershina_tomography_objects PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3> -fno-math-errno
  -fno-trapping-math)
foreach(target vershina_tomography_objects vershina_tomography_kernels)
  # src: the core.
  target_include_directories(${target} PRIVATE include src . ${CMAKE_CURRENT_BINARY_DIR}/generated)
endforeach()

add_library(vershina_tomography_static STATIC)
add_library(vershina_tomography_shared SHARED)
foreach(target vershina_tomography_static vershina_tomography_shared)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:vershina_tomography_objects>
    $<TARGET_OBJECTS:vershina_tomography_kernels>)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} INTERFACE c_std_11)
  target_link_libraries(${target} PRIVATE vershina_static)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME vershina-tomography LINKER_LANGUAGE CXX)
endforeach()
set_target_properties(vershina_tomography_static PROPERTIES EXPORT_NAME tomography_static)
set_target_properties(vershina_tomography_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${soversion} EXPORT_NAME tomography
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/tomography.map)
target_link_options(vershina_tomography_shared PRIVATE
  -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/tomography.map)
if(NOT VSH_SANITIZE)
  target_link_options(vershina_tomography_shared PRIVATE -Wl,--no-undefined)
endif()
add_library(vershina::tomography ALIAS vershina_tomography_shared)
add_library(vershina::tomography_static ALIAS vershina_tomography_static)
