# libvershina, shared and static, from the same position-independent objects.

# Kernels: one file per row of kernels.def, each with the flags of its instruction set.
add_library(vershina_kernels OBJECT ${VSH_KERNEL_SOURCES})
target_compile_options(vershina_kernels PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # With 16 registers GCC spills less when it schedules before it allocates them: Kuznyechik CTR 5.5 -> 5.3 c/B on
  # Zen 3.
  # (Wider files lose by it; Clang has no such flags and needs none.)
  set_property(SOURCE src/kuznyechik/kernel_avx2.cpp APPEND PROPERTY COMPILE_OPTIONS -fschedule-insns -fsched-pressure)
endif()
# Where its decryption begins decides over a fourth of its speed on Zen 5: 5.3 or 6.7 c/B as other code moves it about.
set_property(SOURCE src/kuznyechik/kernel_avx2_gfni.cpp APPEND PROPERTY COMPILE_OPTIONS -falign-functions=64)
if(VSH_SANITIZE MATCHES "undefined")
  # Half of a bit-sliced kernel's compile time, to see what AddressSanitizer sees too: pointers that lead nowhere.
  target_compile_options(vershina_kernels PRIVATE -fno-sanitize=null,object-size,pointer-overflow)
endif()
if(VSH_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Two thirds of the rest (20 to 6.6 s for Kuznyechik's kernel_avx2.cpp): a kernel's own arrays are planes and
  # blocks with constant indices, whose bounds `undefined` checks. Callers' memory is checked as everywhere.
  target_compile_options(vershina_kernels PRIVATE --param=asan-stack=0)
endif()

# Everything else but the references, which only tests use.
file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS src/*.cpp)
set(reference_sources ${core_sources})
list(FILTER core_sources EXCLUDE REGEX "/(kernel_|reference)[^/]*$")
list(FILTER reference_sources INCLUDE REGEX "/reference[^/]*$")
if(VSH_SANITIZE MATCHES "thread")
  list(FILTER core_sources EXCLUDE REGEX "/core/executor\\.cpp$")
  list(APPEND core_sources tests/support/executor_threads.cpp)  # says why
endif()
if(VSH_WITH_DEVICES)
  list(FILTER core_sources EXCLUDE REGEX "/gpu/no_devices\\.cpp$")
else() # all above the back ends stays: it asks an empty list
  list(FILTER core_sources EXCLUDE REGEX "/gpu/(devices\\.cpp|(cuda|opencl|programs)/.*)$")
endif()
add_library(vershina_core OBJECT ${core_sources})
# Alone: what ct_check looks between (--wrap), and where members are of types without linkage.
vsh_unite(vershina_core "/src/(api/[^/]*|esp/.*|sealed/.*|modes/padding|gpu/schedule/stream_batch)\\.cpp$")
# Loops over rows of blocks, which are worth unrolling and vectors as kernels are.
set_source_files_properties(src/streams/lockstep.cpp PROPERTIES COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O3>")

foreach(target vershina_kernels vershina_core)
  target_include_directories(${target} PRIVATE include src ${CMAKE_CURRENT_BINARY_DIR}/generated)
endforeach()
if(VSH_EMULATE)
  target_compile_definitions(vershina_core PRIVATE VSH_EMULATED=1)
endif()
if(VSH_WITH_TBB)
  find_package(TBB REQUIRED CONFIG)
  target_compile_definitions(vershina_core PRIVATE VSH_WITH_TBB=1)
  target_link_libraries(vershina_core PRIVATE TBB::tbb)
endif()

add_library(vershina_static STATIC)
add_library(vershina_shared SHARED)
foreach(target vershina_static vershina_shared)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:vershina_core> $<TARGET_OBJECTS:vershina_kernels>)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} INTERFACE c_std_11)
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS}) # drivers of devices are opened at run time
  if(VSH_WITH_TBB)
    target_link_libraries(${target} PRIVATE TBB::tbb)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME vershina LINKER_LANGUAGE CXX)
endforeach()

# Hidden visibility keeps our own symbols in; the version script keeps in what std:: templates would export.
set_target_properties(vershina_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${soversion} EXPORT_NAME vershina
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/vershina.map)
target_link_options(vershina_shared PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/vershina.map)
if(NOT VSH_SANITIZE)
  target_link_options(vershina_shared PRIVATE -Wl,--no-undefined)
endif()
add_library(vershina::vershina ALIAS vershina_shared)
add_library(vershina::vershina_static ALIAS vershina_static)

# For our own programs: the static library and the headers below its API.
add_library(vershina_internal INTERFACE)
target_link_libraries(vershina_internal INTERFACE vershina_static)
target_include_directories(vershina_internal INTERFACE
  ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_BINARY_DIR}/generated)

# The slow references that read like the standards; linked into tests only.
if(VSH_BUILD_TESTS)
  add_library(vershina_reference STATIC ${reference_sources})
  target_include_directories(vershina_reference PUBLIC include src)
endif()
