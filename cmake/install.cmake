# SPDX-License-Identifier: MIT
#
# What an installed memprof offers: find_package(memprof CONFIG), and pkg-config's `memprof`,
# `memprof-core`, `memprof-fiber` and `memprof-serve`. In three parts, of which packages are made (packaging.cmake):
#   runtime   the shared libraries
#   dev       headers, archives, links to the shared libraries, cmake's and pkg-config's files, check_binary.py
#   tools     the command, its manual pages, completions and module, libmemprof-preload.so

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
if(TARGET memprof_static)
  list(APPEND memprof_installed memprof_static)
endif()

# Static and shared libraries may be installed side by side, from two builds: each has its own files.
set(memprof_kind static)
if(BUILD_SHARED_LIBS)
  set(memprof_kind shared)
endif()

# Installs libraries, and the targets that find_package makes of them.
function(memprof_install_libraries export)
  install(TARGETS ${ARGN} EXPORT ${export}
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT dev
    FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev)
  install(EXPORT ${export} NAMESPACE memprof:: FILE ${export}-${memprof_kind}.cmake
    DESTINATION "${memprof_cmake_dir}" COMPONENT dev)
endfunction()

memprof_install_libraries(memprof-targets ${memprof_installed})
# Sets of their own: who does not use them needs neither Boost nor zlib.
if(TARGET memprof_fiber)
  memprof_install_libraries(memprof-fiber-targets memprof_fiber)
endif()
if(TARGET memprof_endpoints)
  memprof_install_libraries(memprof-serve-targets memprof_endpoints)
endif()
if(TARGET memprof-cli)
  install(TARGETS memprof-cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
  if(MEMPROF_MANUAL_DIR)
    install(DIRECTORY "${MEMPROF_MANUAL_DIR}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
    install(FILES "${MEMPROF_COMPLETION_DIR}/memprof" COMPONENT tools
      DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions")
    # zsh of /usr/local looks into site-functions, that of Debian for its packages into vendor-completions.
    set(memprof_zsh_functions site-functions)
    if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
      set(memprof_zsh_functions vendor-completions)
    endif()
    install(FILES "${MEMPROF_COMPLETION_DIR}/_memprof" COMPONENT tools
      DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/zsh/${memprof_zsh_functions}")
    install(FILES "${MEMPROF_COMPLETION_DIR}/memprof.fish" COMPONENT tools
      DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d")
  endif()
endif()
# What memprof::serve answers with at /debug/memprof/.
if(MEMPROF_SINGLE_PAGE)
  install(FILES "${MEMPROF_SINGLE_PAGE}" RENAME viewer.html COMPONENT tools
    DESTINATION "${CMAKE_INSTALL_DATADIR}/memprof")
endif()
if(TARGET memprof_preload)
  install(TARGETS memprof_preload LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT tools)
endif()

# For programs that are built with memprof (docs/checking-binaries.md). The list is this version's.
set(memprof_scripts_dir "${CMAKE_INSTALL_LIBDIR}/memprof")
install(PROGRAMS scripts/check_binary.py COMPONENT dev DESTINATION "${memprof_scripts_dir}")
install(DIRECTORY scripts/binary_check COMPONENT dev DESTINATION "${memprof_scripts_dir}"
  FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES "${memprof_unsafe_functions}" COMPONENT dev DESTINATION "${memprof_scripts_dir}")

configure_package_config_file(cmake/memprof-config.cmake.in memprof-config.cmake
  INSTALL_DESTINATION "${memprof_cmake_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(memprof-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES
    "${CMAKE_CURRENT_BINARY_DIR}/memprof-config.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/memprof-config-version.cmake"
  DESTINATION "${memprof_cmake_dir}" COMPONENT dev)

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
if(TARGET memprof_endpoints)
  list(APPEND memprof_pc_files memprof-serve)
endif()
foreach(pc IN LISTS memprof_pc_files)
  configure_file(cmake/${pc}.pc.in ${pc}.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${pc}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endforeach()
