# SPDX-License-Identifier: MIT
#
# What an installed memprof offers: find_package(memprof CONFIG), and pkg-config's `memprof`,
# `memprof-core` and `memprof-fiber`.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(memprof_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/memprof")
set(memprof_installed memprof_core)
if(TARGET memprof_trace)
  list(APPEND memprof_installed memprof_trace)
endif()
if(TARGET memprof)
  list(APPEND memprof_installed memprof)
endif()

install(TARGETS ${memprof_installed} EXPORT memprof-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT memprof-targets NAMESPACE memprof:: DESTINATION "${memprof_cmake_dir}")
# A set of its own: who does not use it needs no Boost.
if(TARGET memprof_fiber)
  install(TARGETS memprof_fiber EXPORT memprof-fiber-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT memprof-fiber-targets NAMESPACE memprof:: DESTINATION "${memprof_cmake_dir}")
endif()
if(TARGET memprof-cli)
  install(TARGETS memprof-cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(TARGET memprof-http)
  install(TARGETS memprof-http LIBRARY DESTINATION "${MEMPROF_INSTALLED_MODULES}")
endif()
if(TARGET memprof_preload)
  install(TARGETS memprof_preload LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()

configure_package_config_file(cmake/memprof-config.cmake.in memprof-config.cmake
  INSTALL_DESTINATION "${memprof_cmake_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(memprof-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES
    "${CMAKE_CURRENT_BINARY_DIR}/memprof-config.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/memprof-config-version.cmake"
  DESTINATION "${memprof_cmake_dir}")

# The .pc files find the prefix from where they are, so that the tree can be moved, unless the
# library directory is absolute (as NixOS and others set it). cmake_path(APPEND) keeps an absolute
# directory instead of putting the prefix before it.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(memprof_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  set(memprof_pc_prefix "\${pcfiledir}/${up}")
endif()
set(memprof_pc_libdir "\${prefix}")
cmake_path(APPEND memprof_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
set(memprof_pc_includedir "\${prefix}")
cmake_path(APPEND memprof_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
set(memprof_pc_files memprof-core)
if(TARGET memprof)
  list(APPEND memprof_pc_files memprof)
endif()
if(TARGET memprof_fiber)
  list(APPEND memprof_pc_files memprof-fiber)
endif()
foreach(pc IN LISTS memprof_pc_files)
  configure_file(cmake/${pc}.pc.in ${pc}.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${pc}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
