# GTest::gtest_main, from what dependencies.cmake found.
if(NOT TARGET GTest::gtest_main)
  if(NOT VSH_GOOGLETEST_SOURCE)
    message(FATAL_ERROR
            "GoogleTest not found (Debian: libgtest-dev, googletest); or configure with -DVSH_BUILD_TESTS=OFF")
  endif()
  set(BUILD_GMOCK OFF)
  set(INSTALL_GTEST OFF)
  add_subdirectory(${VSH_GOOGLETEST_SOURCE} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
  if(NOT TARGET GTest::gtest_main)
    add_library(GTest::gtest_main ALIAS gtest_main)
  endif()
endif()
