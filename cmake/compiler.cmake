# SPDX-License-Identifier: MIT
#
# What memprof asks of the compiler, its C++ library and the target, found out before anything is compiled:
# who has something else gets one sentence. include/memprof/detail/requirements.hpp says the same to
# programs that are compiled against the installed headers.
#
#   compiler       g++ 12 or newer, clang 16 or newer
#   C++ library    with std::expected: libstdc++ 12 or newer, with clang 16 to 18 only 12 or 13; libc++ 19
#   target         Linux with glibc 2.35 or newer (_dl_find_object), 64 bits
#
#   memprof_cxx_library_options   what clang 16 to 18 need for libstdc++'s std::expected; for our own code
#                                 and for programs

include(CheckCXXSourceCompiles)

function(memprof_refuse)
  list(JOIN ARGN " " text)
  message(FATAL_ERROR "${text}")
endfunction()

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  memprof_refuse("memprof runs on Linux only, not on ${CMAKE_SYSTEM_NAME}.")
endif()

if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  math(EXPR bits "8 * ${CMAKE_SIZEOF_VOID_P}")
  memprof_refuse("memprof needs a target of 64 bits, and this one has ${bits}:"
    "compile without -m${bits}, or choose another compiler with -DCMAKE_CXX_COMPILER.")
endif()

set(memprof_oldest_GNU 12)
set(memprof_oldest_Clang 16)
if(DEFINED memprof_oldest_${CMAKE_CXX_COMPILER_ID}
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS memprof_oldest_${CMAKE_CXX_COMPILER_ID})
  memprof_refuse("memprof needs g++ 12 or clang++ 16, or newer, and ${CMAKE_CXX_COMPILER} is"
    "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}:"
    "choose another compiler with -DCMAKE_CXX_COMPILER.")
endif()

# memprof_check(RESULT OPTIONS SOURCE): whether SOURCE compiles. Nothing is linked.
function(memprof_check result options source)
  set(CMAKE_REQUIRED_FLAGS "${options}")
  set(CMAKE_REQUIRED_QUIET ON)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  set(CMAKE_CXX_STANDARD 23)
  check_cxx_source_compiles("${source}" ${result})
endfunction()

memprof_check(MEMPROF_GLIBC_IS_NEW_ENOUGH "" "
  #include <features.h>
  #if !defined __GLIBC__ || __GLIBC__ < 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ < 35)
  #error
  #endif
  int defined_here;")
if(NOT MEMPROF_GLIBC_IS_NEW_ENOUGH)
  memprof_refuse("memprof needs glibc 2.35 or newer, which has _dl_find_object, and this target's C library"
    "is an older one or another, such as musl: build for a distribution with glibc"
    "(Debian 12, Ubuntu 22.04, Fedora 36 or newer).")
endif()

set(memprof_uses_expected "
  #include <expected>
  #include <map>
  #include <string>
  std::expected<std::string, int> moved(std::expected<std::string, int> e) { return e; }
  std::expected<void, std::string> none = std::unexpected(std::string(\"x\"));
  int& element(std::map<std::string, int>& m) { return m[\"x\"]; }")
memprof_check(MEMPROF_HAS_EXPECTED "" "${memprof_uses_expected}")
set(memprof_cxx_library_options)
if(NOT MEMPROF_HAS_EXPECTED AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  # libstdc++ wants a macro that says more than these versions of clang dare to say, although they have
  # what std::expected needs: conditionally trivial special members (P0848), since 16. But with it the tuples
  # of libstdc++ 14, and so its maps, take them for newer than they are.
  set(memprof_cxx_library_options -D__cpp_concepts=202002L -Wno-builtin-macro-redefined)
  memprof_check(MEMPROF_HAS_EXPECTED_BY_MACRO
    "-D__cpp_concepts=202002L -Wno-builtin-macro-redefined" "${memprof_uses_expected}")
endif()
if(NOT MEMPROF_HAS_EXPECTED AND NOT MEMPROF_HAS_EXPECTED_BY_MACRO)
  if(memprof_cxx_library_options)
    memprof_refuse("memprof needs a C++ library with std::expected, and ${CMAKE_CXX_COMPILER} finds none that it can"
      "use: clang 16 to 18 can use libstdc++ 12 or 13 (Debian: install g++-13, and set"
      "-DCMAKE_CXX_FLAGS=--gcc-install-dir=/usr/lib/gcc/${CMAKE_CXX_LIBRARY_ARCHITECTURE}/13); or take clang 19.")
  endif()
  memprof_refuse("memprof needs a C++ library with std::expected, and ${CMAKE_CXX_COMPILER} finds none:"
    "install libstdc++ 12 or newer (Debian: g++-12), or libc++ 19 and set -DCMAKE_CXX_FLAGS=-stdlib=libc++.")
endif()
