# SPDX-License-Identifier: MIT
#
# The Debian packages, by `cpack -G DEB`. scripts/build_packages.sh builds them with static and shared
# libraries; the parts are those of install.cmake.
#
#   libmemprof0     the shared libraries, for programs that are linked with them
#   libmemprof-dev  headers, archives, files of cmake and pkg-config
#   memprof         the command, and what it preloads and loads
#   *-dbgsym        the debug information of libmemprof0 and memprof, as .ddeb
#
#   MEMPROF_SHARED_BUILD   a build folder with BUILD_SHARED_LIBS: its libraries go into the packages, too.
#                          Without, there is no libmemprof0.

set(MEMPROF_SHARED_BUILD "" CACHE PATH "A build with shared libraries, for the packages")

# Debian wants the licence in each package. Nobody else does: no part of an ordinary installation.
set(memprof_package_runtime libmemprof${PROJECT_VERSION_MAJOR})
set(memprof_package_dev libmemprof-dev)
set(memprof_package_tools memprof)
foreach(part IN ITEMS runtime dev tools)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" RENAME copyright
    DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${memprof_package_${part}}"
    COMPONENT ${part} EXCLUDE_FROM_ALL)
  string(TOUPPER ${part} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${memprof_package_${part}})
  set(CPACK_DEBIAN_${upper}_FILE_NAME DEB-DEFAULT)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME memprof)
set(CPACK_PACKAGE_VENDOR "The memprof authors")
set(CPACK_PACKAGE_CONTACT "The memprof authors <memprof@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Debug information goes into packages of its own, libmemprof0-dbgsym and memprof-dbgsym; out of the
# archives it is removed.
set(CPACK_STRIP_FILES OFF)
set(CPACK_DEBIAN_RUNTIME_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_TOOLS_DEBUGINFO_PACKAGE ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/strip_archives.cmake")
set(CPACK_OBJCOPY_EXECUTABLE "${CMAKE_OBJCOPY}")
set(CPACK_OBJDUMP_EXECUTABLE "${CMAKE_OBJDUMP}")
set(CPACK_STRIP_EXECUTABLE "${CMAKE_STRIP}")
set(CPACK_COMPONENTS_ALL dev tools)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};memprof;ALL;/")
set(memprof_needed_by_dev "libc6-dev")
if(MEMPROF_SHARED_BUILD)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${MEMPROF_SHARED_BUILD};memprof;ALL;/")
  set(memprof_needed_by_dev "libmemprof${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}), libc6-dev")
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Our libraries need each other, and belong to no package yet.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${MEMPROF_SHARED_BUILD}")
# For packages that are built over ours: until 1.0 each version may change the ABI.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "probabilistic memory limits for C++, shared libraries
 A task that takes too much memory or allocates too much is unwound by an
 exception out of operator new, and the program lives on.
 .
 This package contains what programs linked with memprof need to run.")

set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${memprof_needed_by_dev}")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "libboost-context-dev, zlib1g-dev, python3")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "memprof (= ${PROJECT_VERSION}), pkg-config, cmake")
set(CPACK_COMPONENT_DEV_DESCRIPTION
  "probabilistic memory limits for C++, development files
 Headers, static libraries, and files for CMake (find_package(memprof)) and
 pkg-config. A compiler with C++23 is needed; memprof::fiber as a static
 library needs Boost.Context.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
  "memory profiler that samples allocations of unmodified programs
 memprof record traces any program with libmemprof-preload.so; memprof top,
 flamegraph, serve and others show where its memory goes, from traces in the
 format of OCaml's memtrace.")

include(CPack)
