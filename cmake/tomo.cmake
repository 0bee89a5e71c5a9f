# The program `vershina-tomo`, which `vershina tomo` starts: scans and volumes in files, over libvershina-tomography.
# Formats whose library is missing are left out.
file(GLOB tomo_sources CONFIGURE_DEPENDS programs/tomo/formats/*.cpp programs/tomo/phantom/*.cpp
  programs/tomo/scans/*.cpp programs/tomo/segmentation/*.cpp programs/tomo/volumes/*.cpp)
if(NOT VSH_WITH_HDF5)
  list(FILTER tomo_sources EXCLUDE REGEX "/hdf5_(driver|file)\\.cpp$")
endif()
if(NOT VSH_WITH_TIFF)
  list(FILTER tomo_sources EXCLUDE REGEX "/tiff_pictures\\.cpp$")
endif()
if(NOT VSH_WITH_PNG)
  list(FILTER tomo_sources EXCLUDE REGEX "/png_pictures\\.cpp$")
endif()
add_library(vershina_tomo STATIC ${tomo_sources})
target_link_libraries(vershina_tomo PUBLIC vershina_common json ${CMAKE_DL_LIBS})
foreach(library HDF5 TIFF PNG)
  if(VSH_WITH_${library})
    target_compile_definitions(vershina_tomo PUBLIC VSH_WITH_${library}=1)
    target_include_directories(vershina_tomo SYSTEM PRIVATE ${VSH_${library}_INCLUDE})
    target_link_libraries(vershina_tomo PRIVATE ${VSH_${library}_LIBRARY})
  endif()
endforeach()

# `vershina tomo view`; without libmicrohttpd it says so.
include(programs/tomo/viewer/embedded.cmake)
file(GLOB viewer_sources CONFIGURE_DEPENDS programs/tomo/viewer/*.cpp)
add_library(vershina_viewer STATIC ${viewer_sources})
target_include_directories(vershina_viewer PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
target_link_libraries(vershina_viewer PUBLIC vershina_tomo)
if(VSH_WITH_MICROHTTPD)
  set_source_files_properties(programs/tomo/viewer/server.cpp PROPERTIES COMPILE_DEFINITIONS VSH_WITH_MICROHTTPD=1)
  target_include_directories(vershina_viewer SYSTEM PRIVATE ${VSH_MICROHTTPD_INCLUDE})
  target_link_libraries(vershina_viewer PRIVATE ${VSH_MICROHTTPD_LIBRARY})
endif()

file(GLOB tomo_program CONFIGURE_DEPENDS programs/tomo/main.cpp programs/tomo/commands/*.cpp
  programs/tomo/tuning/*.cpp)
add_executable(vershina-tomo ${tomo_program})
target_link_libraries(vershina-tomo PRIVATE vershina_viewer vershina_tomography_static vershina_measure)
