# cmake --install: headers, both libraries, pkg-config, CMake package, programs, man pages, completion, documents
# and examples. The target `installed` builds what it copies, and no test.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/vershina DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "tomography.*" EXCLUDE)

# Two export sets: users of the shared library need no oneTBB package at build time.
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/vershina)
install(TARGETS vershina_shared EXPORT vershinaTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS vershina_static EXPORT vershinaStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT vershinaTargets NAMESPACE vershina:: DESTINATION ${cmake_dir})
install(EXPORT vershinaStaticTargets NAMESPACE vershina:: DESTINATION ${cmake_dir})
configure_package_config_file(cmake/vershinaConfig.cmake.in vershinaConfig.cmake INSTALL_DESTINATION ${cmake_dir})
write_basic_package_version_file(vershinaConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vershinaConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/vershinaConfigVersion.cmake
  DESTINATION ${cmake_dir})

set(pc_requires_private)
if(VSH_WITH_TBB)
  set(pc_requires_private tbb)
endif()
if(VSH_WITH_TOMOGRAPHY)
  install(FILES include/vershina/tomography.h include/vershina/tomography.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vershina)
  install(TARGETS vershina_tomography_shared EXPORT vershinaTomographyTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS vershina_tomography_static EXPORT vershinaTomographyStaticTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT vershinaTomographyTargets NAMESPACE vershina:: DESTINATION ${cmake_dir})
  install(EXPORT vershinaTomographyStaticTargets NAMESPACE vershina:: DESTINATION ${cmake_dir})
endif()

# Relative to the .pc file, so that the prefix may be moved, as --prefix at install time does.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/vershina.pc.in vershina.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vershina.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(VSH_WITH_TOMOGRAPHY)
  configure_file(cmake/vershina-tomography.pc.in vershina-tomography.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vershina-tomography.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(TARGET vershina)
  install(TARGETS vershina vershina-bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  foreach(program vershina-disk vershina-tomo vershina-tunnel)
    if(TARGET ${program})
      install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
  endforeach()
  if(TARGET vershina-tunnel)
    set(VSH_SYSTEMD_UNIT_DIR lib/systemd/system CACHE STRING "Where units of systemd are installed to")
    # With the program's path: it is known when the prefix is.
    install(CODE "
      set(VSH_PROGRAMS \"${CMAKE_INSTALL_BINDIR}\")
      if(NOT IS_ABSOLUTE \"\${VSH_PROGRAMS}\")
        set(VSH_PROGRAMS \"\${CMAKE_INSTALL_PREFIX}/\${VSH_PROGRAMS}\")
      endif()
      configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/packaging/vershina-tunnel@.service.in\"
        \"${CMAKE_CURRENT_BINARY_DIR}/vershina-tunnel@.service\" @ONLY)")
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/vershina-tunnel@.service DESTINATION ${VSH_SYSTEMD_UNIT_DIR})
  endif()
  set(completion programs/common/completion/vershina)
  install(FILES ${completion}.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME vershina)
  install(FILES ${completion}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${completion}.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _vershina)
endif()

# Section 1 from docs/man and the options in the sources, section 3, in English only, from the comments of the headers:
# each says everything once, and neither generator runs what was built.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND AND TARGET vershina)
  set(man1 ${CMAKE_CURRENT_BINARY_DIR}/man1)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS docs/man/*.1 programs/*.cpp)
  add_custom_command(OUTPUT ${man1}.stamp
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/man1.py ${man1}
    COMMAND ${CMAKE_COMMAND} -E touch ${man1}.stamp
    DEPENDS tools/man1.py programs/common/text/exit_code.hpp programs/po/ru.po tomography/api/plan.cpp ${sources}
    VERBATIM)
  add_custom_target(man1 ALL DEPENDS ${man1}.stamp)
  install(DIRECTORY ${man1}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1" PATTERN ru EXCLUDE)
  install(DIRECTORY ${man1}/ru/ DESTINATION ${CMAKE_INSTALL_MANDIR}/ru/man1 FILES_MATCHING PATTERN "*.1")
endif()
if(Python3_FOUND)
  set(man3 ${CMAKE_CURRENT_BINARY_DIR}/man3)
  file(GLOB headers CONFIGURE_DEPENDS include/vershina/*.h)
  set(left_out "")
  if(NOT VSH_WITH_TOMOGRAPHY)
    set(left_out tomography)
  endif()
  add_custom_command(OUTPUT ${man3}.stamp
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/man3.py ${man3} ${left_out}
    COMMAND ${CMAKE_COMMAND} -E touch ${man3}.stamp
    DEPENDS tools/man3.py CHANGELOG.md ${headers} VERBATIM)
  add_custom_target(man3 ALL DEPENDS ${man3}.stamp)
  install(DIRECTORY ${man3}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 FILES_MATCHING PATTERN "*.3")
else()
  message(STATUS "No Python: the manual pages are not made")
endif()

# README.md and docs/, with the pictures, stay in one folder, so that their links hold.
install(FILES LICENSE README.md README.ru.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN man EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

add_custom_target(installed DEPENDS vershina_shared vershina_static)
foreach(target vershina vershina-bench vershina-disk vershina-tunnel vershina-tomo man1 man3 vershina_tomography_shared
  vershina_tomography_static)
  if(TARGET ${target})
    add_dependencies(installed ${target})
  endif()
endforeach()
