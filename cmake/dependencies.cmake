# What the build can use on this machine. Nothing is downloaded.
find_package(Threads REQUIRED)

find_package(TBB QUIET CONFIG)
set(VSH_TBB_FOUND ${TBB_FOUND})

# An interface target for a library that is headers only. Found by its header, so that one way serves every release
# of every distribution. In a cross build the host's /usr/include must not reach the compiler (its libc headers would
# come first), so only the library's own folder is linked into the build tree.
function(vsh_header_only target header)
  string(TOUPPER "VSH_${target}_INCLUDE" found)
  find_path(${found} ${header} NO_CMAKE_FIND_ROOT_PATH)
  if(NOT ${found})
    return()
  endif()
  set(include ${${found}})
  if(CMAKE_CROSSCOMPILING)
    cmake_path(GET header PARENT_PATH folder)
    set(include ${PROJECT_BINARY_DIR}/header-only/${target})
    file(MAKE_DIRECTORY ${include})
    file(CREATE_LINK ${${found}}/${folder} ${include}/${folder} SYMBOLIC)
  endif()
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE ${include})
endfunction()

vsh_header_only(json nlohmann/json.hpp)
vsh_header_only(tomlplusplus toml++/toml.h)

# libarchive: its header only, the program loads the library when a directory is sealed or opened.
find_path(VSH_ARCHIVE_INCLUDE archive_entry.h)
set(VSH_ARCHIVE_POSSIBLE OFF)
if(VSH_ARCHIVE_INCLUDE)
  set(VSH_ARCHIVE_POSSIBLE ON)
endif()

# gettext: its compiler of catalogues; what reads them, libintl, is in glibc.
find_program(VSH_MSGFMT msgfmt)
find_package(Intl QUIET)
set(VSH_GETTEXT_POSSIBLE OFF)
if(VSH_MSGFMT AND Intl_FOUND)
  set(VSH_GETTEXT_POSSIBLE ON)
endif()

# OpenSSL 3: its headers only, the provider asks nothing of libcrypto.
find_path(VSH_OPENSSL_INCLUDE openssl/core_dispatch.h)
set(VSH_OPENSSL_PROVIDER_POSSIBLE OFF)
if(VSH_OPENSSL_INCLUDE AND NOT CMAKE_CROSSCOMPILING)
  set(VSH_OPENSSL_PROVIDER_POSSIBLE ON)
endif()

# nbdkit: its header only, the plugin finds its functions in the program that loads it. 1.32 has every callback used.
set(VSH_NBDKIT_POSSIBLE OFF)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT CMAKE_CROSSCOMPILING)
  find_path(VSH_NBDKIT_INCLUDE nbdkit-plugin.h)
  if(VSH_NBDKIT_INCLUDE)
    set(VSH_NBDKIT_POSSIBLE ON)
  else()
    message(STATUS "No nbdkit-plugin.h (nbdkit-plugin-dev): the plugin for nbdkit is left out")
  endif()
endif()

# libcrypto derives keys of VeraCrypt's headers by other hashes than Streebog.
set(VSH_VERACRYPT_POSSIBLE OFF)
if(VSH_NBDKIT_POSSIBLE)
  find_package(OpenSSL 3.0 QUIET COMPONENTS Crypto)
  if(TARGET OpenSSL::Crypto)
    set(VSH_VERACRYPT_POSSIBLE ON)
  else()
    message(STATUS "No OpenSSL 3 (libssl-dev): VeraCrypt volumes are left out")
  endif()
endif()

# libcryptsetup reads and writes LUKS2 headers; libblkid knows what a device holds before it is overwritten.
set(VSH_CRYPTSETUP_POSSIBLE OFF)
if(VSH_NBDKIT_POSSIBLE)
  find_path(VSH_CRYPTSETUP_INCLUDE libcryptsetup.h)
  find_library(VSH_CRYPTSETUP_LIBRARY cryptsetup)
  find_path(VSH_BLKID_INCLUDE blkid/blkid.h)
  find_library(VSH_BLKID_LIBRARY blkid)
  if(VSH_CRYPTSETUP_INCLUDE AND VSH_CRYPTSETUP_LIBRARY AND VSH_BLKID_INCLUDE AND VSH_BLKID_LIBRARY AND TARGET json)
    set(VSH_CRYPTSETUP_POSSIBLE ON)
  else()
    message(STATUS "No libcryptsetup, libblkid or nlohmann-json: LUKS2 volumes and vershina-disk are left out")
  endif()
endif()

# Formats of vershina-tomo: HDF5 (the serial library), TIFF (4.5 has a bound on memory and handlers of its own errors
# for each file), PNG.
set(VSH_HDF5_POSSIBLE OFF)
set(VSH_TIFF_POSSIBLE OFF)
set(VSH_PNG_POSSIBLE OFF)
if(NOT CMAKE_CROSSCOMPILING)
  find_path(VSH_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(VSH_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
  find_path(VSH_TIFF_INCLUDE tiffio.h)
  find_library(VSH_TIFF_LIBRARY tiff)
  find_path(VSH_PNG_INCLUDE png.h)
  find_library(VSH_PNG_LIBRARY NAMES png16 png)
  if(VSH_HDF5_INCLUDE AND VSH_HDF5_LIBRARY)
    set(VSH_HDF5_POSSIBLE ON)
  endif()
  if(VSH_TIFF_INCLUDE AND VSH_TIFF_LIBRARY)
    file(STRINGS ${VSH_TIFF_INCLUDE}/tiffio.h tiff_options REGEX "TIFFOpenOptionsAlloc")
    if(tiff_options)
      set(VSH_TIFF_POSSIBLE ON)
    endif()
  endif()
  if(VSH_PNG_INCLUDE AND VSH_PNG_LIBRARY)
    set(VSH_PNG_POSSIBLE ON)
  endif()
endif()
set(VSH_TOMO_POSSIBLE OFF)
if(TARGET json AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(VSH_TOMO_POSSIBLE ON)
endif()

set(VSH_BENCH_POSSIBLE OFF)
if(TARGET json AND TARGET tomlplusplus)
  set(VSH_BENCH_POSSIBLE ON)
endif()

# GTest::gtest_main: the distribution's library, or its sources (Debian's googletest package puts them into
# /usr/src/googletest) where a cross build has no library for its target.
if(NOT CMAKE_CROSSCOMPILING)
  find_package(GTest QUIET CONFIG)
endif()
find_path(VSH_GOOGLETEST_SOURCE googletest/CMakeLists.txt PATHS /usr/src/googletest NO_CMAKE_FIND_ROOT_PATH)
set(VSH_TESTS_POSSIBLE OFF)
if(PROJECT_IS_TOP_LEVEL AND (TARGET GTest::gtest_main OR VSH_GOOGLETEST_SOURCE))
  set(VSH_TESTS_POSSIBLE ON)
endif()
