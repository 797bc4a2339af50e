# SPDX-License-Identifier: MIT
#
# What can be switched. A project that adds memprof with add_subdirectory or FetchContent gets the
# library alone.

option(MEMPROF_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(MEMPROF_EXTENDED_TESTS "Build the extended tests, too: what CI runs beyond the ordinary ones" ON)
option(MEMPROF_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(MEMPROF_BUILD_BENCHMARKS "Build the benchmarks" OFF)
option(MEMPROF_BUILD_FUZZERS "Build the fuzzers (clang only)" OFF)
option(MEMPROF_BUILD_PRELOAD "Build libmemprof-preload.so" ${PROJECT_IS_TOP_LEVEL})
# MEMPROF_BUILD_FIBER, MEMPROF_BUILD_SERVE, MEMPROF_BUILD_TOOLS: in dependencies.cmake; MEMPROF_BUILD_VIEWER: in viewer.cmake.
option(MEMPROF_INSTALL "Generate the install rules" ${PROJECT_IS_TOP_LEVEL})
option(MEMPROF_WARNINGS_AS_ERRORS "Make warnings in our own code errors" OFF)

# An option that is on if what it needs was found, until somebody says otherwise. Not option(), which
# would keep what the first run of cmake found when the rest has been installed.
macro(memprof_option_if_found name text found)
  set(${name} AUTO CACHE STRING "${text}; AUTO: if that is found")
  set_property(CACHE ${name} PROPERTY STRINGS AUTO ON OFF)
  if("${${name}}" STREQUAL "AUTO")
    set(${name} ${found})
  endif()
endmacro()

set(MEMPROF_SANITIZE "" CACHE STRING "Sanitizers: empty, address,undefined or thread")
set_property(CACHE MEMPROF_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

# Sanitizers replace malloc and operator new themselves, so such a build has memprof::core only.
if(MEMPROF_SANITIZE)
  if(NOT MEMPROF_SANITIZE MATCHES "^(address,undefined|thread)$")
    message(FATAL_ERROR
      "MEMPROF_SANITIZE is '${MEMPROF_SANITIZE}': use address,undefined or thread, or leave it empty")
  endif()
  add_compile_options(
    -fsanitize=${MEMPROF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MEMPROF_SANITIZE})
endif()

# Warnings are for who works on memprof, not for who builds it as a part of something else.
function(memprof_enable_warnings target)
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion)
    # In a unity build a local name meets the file-local names of other sources.
    if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wshadow=local -Wno-subobject-linkage)
    elseif(NOT CMAKE_UNITY_BUILD)
      target_compile_options(${target} PRIVATE -Wshadow)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # False alarms on strings and arrays in optimised builds (GCC bug 105651 and its like).
      target_compile_options(${target} PRIVATE -Wno-restrict -Wno-array-bounds
        -Wno-stringop-overflow -Wno-stringop-overread)
      if(MEMPROF_SANITIZE)  # and on std::regex, which they make larger (GCC bug 105562)
        target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
      endif()
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      # libstdc++ 12's own stable_sort uses what C++23 deprecates; g++ tells of ours.
      target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
    endif()
    if(MEMPROF_WARNINGS_AS_ERRORS)
      target_compile_options(${target} PRIVATE -Werror)
    endif()
  endif()
endfunction()
