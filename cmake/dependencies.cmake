# SPDX-License-Identifier: MIT
#
# Everything that memprof needs from outside, in one place.
#
#   what             needed by                        Debian package        target
#   Threads          the library                      (libc)                Threads::Threads
#   Boost.Context    memprof::fiber, if found         libboost-context-dev  Boost::context
#     >= 1.81
#   Catch2 3, 2.13   tests                            catch2                Catch2::Catch2WithMain
#   Python 3         tests, examples                  python3               Python3::Interpreter
#   Boost >= 1.81    tests (Math), examples           libboost-dev          Boost::headers
#                    (Multiprecision): headers only
#   Boost.Context    tests (delivery)                 libboost-context-dev  Boost::context
#   SQLite           tests (delivery)                 libsqlite3-dev        memprof_dep::sqlite3
#   Expat            tests (delivery)                 libexpat1-dev         memprof_dep::expat
#   libxml2          tests (delivery)                 libxml2-dev           memprof_dep::libxml2
#   Lua 5.4          tests (delivery)                 liblua5.4-dev         memprof_dep::lua
#   Zydis >= 4       tests (delivery), if found,      libzydis-dev          Zydis::Zydis
#                    on x86-64
#   GiNaC            examples, tests (delivery)       libginac-dev          memprof_dep::ginac
#   cpp-httplib      examples                         libcpp-httplib-dev    memprof_dep::httplib
#     >= 0.11
#   nlohmann_json    examples, tests (delivery),      nlohmann-json3-dev    nlohmann_json::nlohmann_json
#                    the command memprof
#   CLI11            the command memprof, if found    libcli11-dev          CLI11::CLI11
#   fmt >= 9         the command memprof, if found    libfmt-dev            fmt::fmt
#   libdw            the command memprof, if found    libdw-dev             memprof_dep::libdw
#   libelf           the command memprof              libelf-dev (of libdw-dev)  memprof_dep::libelf
#   libiberty        the command memprof, if found    libiberty-dev         memprof_dep::iberty
#   zlib             memprof::serve, if found         zlib1g-dev            ZLIB::ZLIB
#   zlib             the command memprof, if found    zlib1g-dev            memprof_dep::zlib
#   sys/sdt.h        static probes, if found          systemtap-sdt-dev     MEMPROF_STATIC_PROBES
#   npm, node        the page of memprof serve, if found  npm nodejs        cmake/viewer.cmake
#
# scripts/install_dependencies.sh installs them. Where Debian's own Boost is older (1.74 in Debian 12),
# the packages are called libboost1.81-dev and libboost-context1.81-dev.

# Stops with what to install, unless `found` is true.
function(memprof_need found what needed_by debian_package)
  if(NOT found)
    message(FATAL_ERROR
      "${what} was not found; ${needed_by} needs it.\n"
      "On Debian: apt-get install ${debian_package}, or scripts/install_dependencies.sh for all.")
  endif()
endfunction()

# memprof_dep::<name>, from a pkg-config module: its Cflags may define macros that must match the
# compiled library (cpp-httplib's do), which a bare find_library would miss.
function(memprof_find_with_pkg_config name module needed_by debian_package)
  find_package(PkgConfig QUIET)
  memprof_need("${PKG_CONFIG_FOUND}" "pkg-config" "${needed_by}" "pkg-config")
  pkg_check_modules(memprof_${name} QUIET IMPORTED_TARGET GLOBAL ${module})
  memprof_need("${memprof_${name}_FOUND}" "${module}" "${needed_by}" "${debian_package}")
  if(NOT TARGET memprof_dep::${name})
    add_library(memprof_dep::${name} ALIAS PkgConfig::memprof_${name})
  endif()
endfunction()

# memprof_dep::httplib. Debian builds it as a library, but parts of OpenSSL are called by its header, that
# is by us: what it requires privately is linked, too, as far as it is needed.
macro(memprof_find_httplib needed_by)
  find_package(PkgConfig QUIET)
  memprof_need("${PKG_CONFIG_FOUND}" "pkg-config" "${needed_by}" "pkg-config")
  pkg_check_modules(memprof_httplib QUIET IMPORTED_TARGET GLOBAL "cpp-httplib>=0.11")
  memprof_need("${memprof_httplib_FOUND}" "cpp-httplib 0.11" "${needed_by}" "libcpp-httplib-dev")
  if(NOT TARGET memprof_dep::httplib)
    add_library(memprof_dep_httplib INTERFACE)
    add_library(memprof_dep::httplib ALIAS memprof_dep_httplib)
    target_link_libraries(memprof_dep_httplib INTERFACE PkgConfig::memprof_httplib
      -Wl,--push-state,--as-needed ${memprof_httplib_STATIC_LDFLAGS} -Wl,--pop-state)
  endif()
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

find_path(MEMPROF_SDT_INCLUDE_DIR sys/sdt.h)
mark_as_advanced(MEMPROF_SDT_INCLUDE_DIR)
set(memprof_has_sdt OFF)
if(MEMPROF_SDT_INCLUDE_DIR)
  set(memprof_has_sdt ON)
endif()
memprof_option_if_found(MEMPROF_STATIC_PROBES
  "Static probes at sampled blocks, for OpenTelemetry's profiler and bpftrace (needs sys/sdt.h)"
  ${memprof_has_sdt})
if(MEMPROF_STATIC_PROBES)
  memprof_need("${memprof_has_sdt}" "sys/sdt.h" "MEMPROF_STATIC_PROBES" "systemtap-sdt-dev")
endif()

find_package(Boost 1.81 CONFIG QUIET OPTIONAL_COMPONENTS context)
set(memprof_has_context OFF)
if(TARGET Boost::context)
  set(memprof_has_context ON)
endif()
memprof_option_if_found(MEMPROF_BUILD_FIBER "Build memprof::fiber: tasks that pause (needs Boost.Context)"
  ${memprof_has_context})
if(MEMPROF_BUILD_FIBER)
  memprof_need("${memprof_has_context}" "Boost.Context 1.81" "MEMPROF_BUILD_FIBER"
    "libboost-context-dev (libboost-context1.81-dev on Debian 12)")
endif()

find_package(ZLIB QUIET)
memprof_option_if_found(MEMPROF_BUILD_SERVE
  "Build memprof::serve: profiles and metrics over HTTP (needs zlib)" ${ZLIB_FOUND})
if(MEMPROF_BUILD_SERVE)
  memprof_need("${ZLIB_FOUND}" "zlib" "MEMPROF_BUILD_SERVE" "zlib1g-dev")
endif()

find_package(CLI11 2.1 CONFIG QUIET)
find_package(fmt 9 CONFIG QUIET)
find_package(nlohmann_json 3.11 QUIET)
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(memprof_libdw QUIET IMPORTED_TARGET GLOBAL libdw)
  pkg_check_modules(memprof_zlib QUIET IMPORTED_TARGET GLOBAL zlib)
endif()
find_path(MEMPROF_IBERTY_INCLUDE_DIR libiberty/demangle.h)
find_library(MEMPROF_IBERTY_LIBRARY iberty)
mark_as_advanced(MEMPROF_IBERTY_INCLUDE_DIR MEMPROF_IBERTY_LIBRARY)
set(memprof_iberty_FOUND OFF)
if(MEMPROF_IBERTY_INCLUDE_DIR AND MEMPROF_IBERTY_LIBRARY)
  set(memprof_iberty_FOUND ON)
endif()
set(memprof_has_tools OFF)
if(TARGET CLI11::CLI11 AND TARGET fmt::fmt AND TARGET nlohmann_json::nlohmann_json
   AND memprof_libdw_FOUND AND memprof_iberty_FOUND AND memprof_zlib_FOUND
   AND PROJECT_IS_TOP_LEVEL)
  set(memprof_has_tools ON)
endif()
memprof_option_if_found(MEMPROF_BUILD_TOOLS
  "Build the command memprof (needs CLI11, fmt, nlohmann_json, libdw, libiberty, zlib)"
  ${memprof_has_tools})
if(MEMPROF_BUILD_TOOLS)
  memprof_need("${CLI11_FOUND}" "CLI11 2.1" "MEMPROF_BUILD_TOOLS" "libcli11-dev")
  memprof_need("${fmt_FOUND}" "fmt 9" "MEMPROF_BUILD_TOOLS" "libfmt-dev")
  memprof_need("${nlohmann_json_FOUND}" "nlohmann_json 3.11" "MEMPROF_BUILD_TOOLS"
    "nlohmann-json3-dev")
  memprof_find_with_pkg_config(libdw libdw "MEMPROF_BUILD_TOOLS" "libdw-dev")
  memprof_find_with_pkg_config(libelf libelf "MEMPROF_BUILD_TOOLS" "libelf-dev")
  memprof_need("${memprof_iberty_FOUND}" "libiberty" "MEMPROF_BUILD_TOOLS" "libiberty-dev")
  if(NOT TARGET memprof_dep::iberty)
    add_library(memprof_dep::iberty UNKNOWN IMPORTED)
    set_target_properties(memprof_dep::iberty PROPERTIES
      IMPORTED_LOCATION "${MEMPROF_IBERTY_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${MEMPROF_IBERTY_INCLUDE_DIR}")
  endif()
  memprof_find_with_pkg_config(zlib zlib "MEMPROF_BUILD_TOOLS" "zlib1g-dev")
endif()

if(MEMPROF_BUILD_TESTS)
  find_package(Catch2 3 QUIET)
  if(NOT Catch2_FOUND)
    find_package(Catch2 2.13.7 QUIET)
  endif()
  memprof_need("${Catch2_FOUND}" "Catch2 3, or 2.13" "MEMPROF_BUILD_TESTS" "catch2")
endif()

if(MEMPROF_BUILD_TESTS OR MEMPROF_BUILD_EXAMPLES)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  memprof_need("${Python3_FOUND}" "Python 3" "MEMPROF_BUILD_TESTS and MEMPROF_BUILD_EXAMPLES" "python3")
  # It is of the processor that builds: a cross build must not run it by its emulator.
  set_property(TARGET Python3::Interpreter PROPERTY CROSSCOMPILING_EMULATOR "")
  memprof_need("${Boost_FOUND}" "Boost 1.81 (headers)"
    "MEMPROF_BUILD_TESTS and MEMPROF_BUILD_EXAMPLES" "libboost-dev (libboost1.81-dev on Debian 12)")
endif()

# C libraries whose callbacks the tests interrupt. Sanitizer builds have no such tests.
if(MEMPROF_BUILD_TESTS AND NOT MEMPROF_SANITIZE)
  find_package(Boost 1.81 CONFIG QUIET COMPONENTS context)
  memprof_need("${Boost_context_FOUND}" "Boost.Context 1.81" "MEMPROF_BUILD_TESTS"
    "libboost-context-dev (libboost-context1.81-dev on Debian 12)")
  memprof_find_with_pkg_config(sqlite3 sqlite3 "MEMPROF_BUILD_TESTS" "libsqlite3-dev")
  memprof_find_with_pkg_config(expat expat "MEMPROF_BUILD_TESTS" "libexpat1-dev")
  memprof_find_with_pkg_config(libxml2 libxml-2.0 "MEMPROF_BUILD_TESTS" "libxml2-dev")
  memprof_find_with_pkg_config(lua lua5.4 "MEMPROF_BUILD_TESTS" "liblua5.4-dev")
endif()

# Libraries that the tests interrupt, where they are installed (tests/containers, tests/bombs).
if(MEMPROF_BUILD_TESTS AND NOT MEMPROF_SANITIZE)
  find_package(PkgConfig QUIET)
  set(abseil_modules absl_flat_hash_map absl_node_hash_map absl_btree absl_cord absl_strings)
  set(protobuf_modules protobuf)
  set(qt5_modules Qt5Core)
  set(re2_modules re2)
  set(eigen_modules eigen3)
  set(sparsehash_modules libsparsehash)
  set(pugixml_modules pugixml)
  set(rocksdb_modules rocksdb)
  set(tbb_modules tbb)
  set(magick_modules Magick++)
  set(z3_modules z3)
  foreach(library IN ITEMS abseil protobuf qt5 re2 eigen sparsehash pugixml rocksdb tbb magick z3)
    if(TARGET memprof_dep::${library})
      continue()
    endif()
    pkg_check_modules(memprof_${library} QUIET IMPORTED_TARGET GLOBAL ${${library}_modules})
    if(memprof_${library}_FOUND)
      add_library(memprof_dep::${library} ALIAS PkgConfig::memprof_${library})
    else()
      message(STATUS "${library} was not found: a test of it is left out "
        "(scripts/install_dependencies.sh containers)")
    endif()
  endforeach()
endif()

# The same for two that pkg-config does not know in Debian 12; CGAL is headers over GMP and MPFR.
if(MEMPROF_BUILD_TESTS AND NOT MEMPROF_SANITIZE)
  find_path(MEMPROF_ANTLR4_HEADERS antlr4-runtime.h PATH_SUFFIXES antlr4-runtime)
  find_library(MEMPROF_ANTLR4_LIBRARY antlr4-runtime)
  find_path(MEMPROF_CGAL_HEADERS CGAL/Arrangement_2.h)
  find_library(MEMPROF_GMP_LIBRARY gmp)
  find_library(MEMPROF_MPFR_LIBRARY mpfr)
  mark_as_advanced(MEMPROF_ANTLR4_HEADERS MEMPROF_ANTLR4_LIBRARY MEMPROF_CGAL_HEADERS
    MEMPROF_GMP_LIBRARY MEMPROF_MPFR_LIBRARY)
  set(antlr4_libraries ${MEMPROF_ANTLR4_LIBRARY})
  set(cgal_libraries ${MEMPROF_GMP_LIBRARY} ${MEMPROF_MPFR_LIBRARY})
  foreach(library IN ITEMS antlr4 cgal)
    string(TOUPPER ${library} upper)
    if(NOT MEMPROF_${upper}_HEADERS OR "${${library}_libraries}" MATCHES "NOTFOUND")
      message(STATUS "${library} was not found: a test of it is left out "
        "(scripts/install_dependencies.sh containers)")
    elseif(NOT TARGET memprof_dep::${library})
      add_library(memprof_dep_${library} INTERFACE)
      add_library(memprof_dep::${library} ALIAS memprof_dep_${library})
      target_include_directories(memprof_dep_${library} SYSTEM INTERFACE
        "${MEMPROF_${upper}_HEADERS}")
      target_link_libraries(memprof_dep_${library} INTERFACE ${${library}_libraries})
    endif()
  endforeach()
endif()

# gRPC and the generators of its code, where they are installed (tests/servers).
if(MEMPROF_BUILD_TESTS AND NOT MEMPROF_SANITIZE)
  find_program(MEMPROF_PROTOC protoc)
  find_program(MEMPROF_GRPC_CPP_PLUGIN grpc_cpp_plugin)
  mark_as_advanced(MEMPROF_PROTOC MEMPROF_GRPC_CPP_PLUGIN)
  pkg_check_modules(memprof_grpc QUIET IMPORTED_TARGET GLOBAL grpc++ protobuf)
  if(NOT (memprof_grpc_FOUND AND MEMPROF_PROTOC AND MEMPROF_GRPC_CPP_PLUGIN))
    message(STATUS "gRPC was not found: the tests servers.grpc and grpc_call are left out "
      "(scripts/install_dependencies.sh servers)")
  elseif(NOT TARGET memprof_dep::grpc)
    add_library(memprof_dep::grpc ALIAS PkgConfig::memprof_grpc)
  endif()
endif()

# Drogon, where it is installed (tests/servers). Debian has it from 13 on. Not by its own DrogonConfig.cmake,
# which stops where the headers of a database are missing that Debian's Drogon is built with.
if(MEMPROF_BUILD_TESTS AND NOT MEMPROF_SANITIZE)
  find_path(MEMPROF_DROGON_HEADERS drogon/drogon.h)
  find_library(MEMPROF_DROGON_LIBRARY drogon)
  find_library(MEMPROF_TRANTOR_LIBRARY trantor)
  mark_as_advanced(MEMPROF_DROGON_HEADERS MEMPROF_DROGON_LIBRARY MEMPROF_TRANTOR_LIBRARY)
  pkg_check_modules(memprof_jsoncpp QUIET IMPORTED_TARGET GLOBAL jsoncpp)
  if(NOT (MEMPROF_DROGON_HEADERS AND MEMPROF_DROGON_LIBRARY AND MEMPROF_TRANTOR_LIBRARY
      AND memprof_jsoncpp_FOUND))
    message(STATUS "Drogon was not found: the test servers.drogon is left out "
      "(scripts/install_dependencies.sh drogon)")
  elseif(NOT TARGET memprof_dep::drogon)
    add_library(memprof_dep_drogon INTERFACE)
    add_library(memprof_dep::drogon ALIAS memprof_dep_drogon)
    target_include_directories(memprof_dep_drogon SYSTEM INTERFACE "${MEMPROF_DROGON_HEADERS}")
    target_link_libraries(memprof_dep_drogon INTERFACE
      "${MEMPROF_DROGON_LIBRARY}" "${MEMPROF_TRANTOR_LIBRARY}" PkgConfig::memprof_jsoncpp)
  endif()
endif()

# The decoder that ours is compared with. Debian 12 has version 4.0, Debian 13 has 4.1.
if(MEMPROF_BUILD_TESTS AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  find_package(zydis 4 CONFIG QUIET)
  if(NOT TARGET Zydis::Zydis)
    message(STATUS "Zydis 4 was not found: the test delivery.decoder is left out "
      "(on Debian: apt-get install libzydis-dev)")
  endif()
endif()

# What is computed with in the examples, and interrupted in the tests.
if(MEMPROF_BUILD_TESTS OR MEMPROF_BUILD_EXAMPLES)
  memprof_find_with_pkg_config(ginac ginac "MEMPROF_BUILD_TESTS and MEMPROF_BUILD_EXAMPLES"
    "libginac-dev")
  find_package(nlohmann_json 3.11 QUIET)
  memprof_need("${nlohmann_json_FOUND}" "nlohmann_json 3.11"
    "MEMPROF_BUILD_TESTS and MEMPROF_BUILD_EXAMPLES" "nlohmann-json3-dev")
endif()

if(MEMPROF_BUILD_EXAMPLES)
  memprof_find_httplib("MEMPROF_BUILD_EXAMPLES")
endif()
