# SPDX-License-Identifier: MIT
#
#   memprof::core       the library without the replacement of malloc: for libraries (their program
#                       decides) and for sanitizer builds.
#   memprof::memprof    what a program links: core, and the replacement of operator new/delete and of
#                       the malloc family.
#   memprof::static     memprof::memprof in a program that is linked with -static or -static-pie.
#   memprof::fiber      tasks that pause, over core and Boost.Context.
#   memprof::serve      profiles and metrics of the running program, for any HTTP server; over core and zlib.
#   memprof::trace      readers and writers of trace files.
#   memprof_answers     what both of the next ones answer requests with, compiled once. Not installed.
#   memprof_analysis    what the command is made of: recorder, symbols, analyses, exports. Not installed.
#   memprof_page_server what `memprof serve` is made of: traces over HTTP, and the page (viewer.cmake). Not installed.
#   memprof_preload     libmemprof-preload.so: the objects of both, for LD_PRELOAD.
#   memprof-cli         the command `memprof`, in the folder bin of the build: the library is the target
#                       of that name.
#   memprof_internal    core together with the include paths of all rooms, for unit tests.

# A program that names one of our shared libraries finds those that it needs beside it.
if(NOT DEFINED CMAKE_INSTALL_RPATH AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(CMAKE_INSTALL_RPATH "$ORIGIN")
endif()

file(GLOB MEMPROF_PUBLIC_HEADERS CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/include/memprof/*.hpp"
  "${PROJECT_SOURCE_DIR}/include/memprof/memprof.h"
  "${PROJECT_SOURCE_DIR}/include/memprof/detail/*.hpp")
set(memprof_fiber_header "${PROJECT_SOURCE_DIR}/include/memprof/fiber.hpp")
list(REMOVE_ITEM MEMPROF_PUBLIC_HEADERS "${memprof_fiber_header}")

add_library(memprof_core ${MEMPROF_CORE_SOURCES})
add_library(memprof::core ALIAS memprof_core)
target_sources(memprof_core PUBLIC
  FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${MEMPROF_PUBLIC_HEADERS})
target_link_libraries(memprof_core PUBLIC Threads::Threads PRIVATE ${CMAKE_DL_LIBS})
memprof_compile_in_process(memprof_core)
set_target_properties(memprof_core PROPERTIES
  EXPORT_NAME core
  OUTPUT_NAME memprof-core
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  # Builds each public header by itself: target all_verify_interface_header_sets.
  VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})

if(MEMPROF_BUILD_FIBER)
  add_library(memprof_fiber ${MEMPROF_FIBER_SOURCES})
  add_library(memprof::fiber ALIAS memprof_fiber)
  target_sources(memprof_fiber PUBLIC
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES "${memprof_fiber_header}")
  target_link_libraries(memprof_fiber PUBLIC memprof_core PRIVATE Boost::context)
  memprof_compile_in_process(memprof_fiber)
  set_target_properties(memprof_fiber PROPERTIES
    EXPORT_NAME fiber
    OUTPUT_NAME memprof-fiber
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
endif()

if(MEMPROF_BUILD_SERVE OR MEMPROF_BUILD_TOOLS)
  add_library(memprof_answers OBJECT ${MEMPROF_ANSWERS_SOURCES} ${MEMPROF_SHARED_SOURCES})
  target_link_libraries(memprof_answers PUBLIC memprof_core PRIVATE ZLIB::ZLIB)
  memprof_compile_in_process(memprof_answers)
  target_include_directories(memprof_answers PRIVATE "${MEMPROF_LIVE_DIR}" "${MEMPROF_SHARED_DIR}")
endif()

if(MEMPROF_BUILD_SERVE)
  file(GLOB memprof_serve_headers CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/include/memprof/serve/*.hpp")
  add_library(memprof_endpoints ${MEMPROF_ENDPOINTS_SOURCES} $<TARGET_OBJECTS:memprof_answers>)
  add_library(memprof::serve ALIAS memprof_endpoints)
  target_sources(memprof_endpoints PUBLIC
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${memprof_serve_headers})
  target_link_libraries(memprof_endpoints PUBLIC memprof_core PRIVATE ZLIB::ZLIB)
  memprof_compile_in_process(memprof_endpoints)
  target_include_directories(memprof_endpoints PRIVATE "${MEMPROF_LIVE_DIR}" "${MEMPROF_SHARED_DIR}")
  include(GNUInstallDirs)
  target_compile_definitions(memprof_endpoints PRIVATE
    MEMPROF_INSTALLED_PAGE="${CMAKE_INSTALL_FULL_DATADIR}/memprof/viewer.html")
  set_target_properties(memprof_endpoints PROPERTIES
    EXPORT_NAME serve
    OUTPUT_NAME memprof-serve
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
endif()

if(MEMPROF_TRACE_SOURCES)
  file(GLOB memprof_trace_headers CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/include/memprof/trace/*.hpp")
  add_library(memprof_trace ${MEMPROF_TRACE_SOURCES})
  add_library(memprof::trace ALIAS memprof_trace)
  target_sources(memprof_trace PUBLIC
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${memprof_trace_headers})
  target_link_libraries(memprof_trace PUBLIC memprof_core)
  target_include_directories(memprof_trace PRIVATE "${MEMPROF_RUNTIME_DIR}" "${MEMPROF_SHARED_DIR}")
  memprof_hide_symbols(memprof_trace)
  memprof_enable_warnings(memprof_trace)
  set_target_properties(memprof_trace PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    EXPORT_NAME trace
    OUTPUT_NAME memprof-trace
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
endif()

if(MEMPROF_BUILD_TOOLS AND MEMPROF_ANALYSIS_SOURCES)
  add_library(memprof_analysis STATIC
    ${MEMPROF_ANALYSIS_SOURCES} ${MEMPROF_RECORDER_SOURCES} $<TARGET_OBJECTS:memprof_answers>)
  target_include_directories(memprof_analysis
    PUBLIC "${MEMPROF_OFFLINE_DIR}" "${MEMPROF_LIVE_DIR}" "${MEMPROF_SHARED_DIR}" "${MEMPROF_RUNTIME_DIR}")
  target_link_libraries(memprof_analysis
    PUBLIC memprof_trace fmt::fmt nlohmann_json::nlohmann_json
    PRIVATE memprof_dep::libdw memprof_dep::libelf memprof_dep::iberty memprof_dep::zlib)
  memprof_enable_warnings(memprof_analysis)
  set_target_properties(memprof_analysis PROPERTIES CXX_EXTENSIONS OFF)
endif()

if(MEMPROF_BUILD_TOOLS AND MEMPROF_PAGE_SERVER_SOURCES)
  include(cmake/viewer.cmake)
  add_library(memprof_page_server STATIC ${MEMPROF_PAGE_SERVER_SOURCES} "${MEMPROF_PAGE_SOURCE}")
  target_link_libraries(memprof_page_server PUBLIC memprof_analysis)
  memprof_enable_warnings(memprof_page_server)
  set_target_properties(memprof_page_server PROPERTIES CXX_EXTENSIONS OFF)
endif()

if(MEMPROF_BUILD_TOOLS)
  # All of it but main.cpp, for its unit tests.
  list(REMOVE_ITEM MEMPROF_TOOLS_SOURCES "${PROJECT_SOURCE_DIR}/tools/main.cpp")
  add_library(memprof_tools STATIC ${MEMPROF_TOOLS_SOURCES})
  target_include_directories(memprof_tools PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(memprof_tools PUBLIC
    memprof_core $<TARGET_NAME_IF_EXISTS:memprof_page_server>
    CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
  set_target_properties(memprof_tools PROPERTIES CXX_EXTENSIONS OFF)
  # What takes long is in the libraries: not what reads options and prints.
  target_compile_options(memprof_tools PRIVATE $<$<CONFIG:Release>:-O1>)
  memprof_enable_warnings(memprof_tools)
  add_executable(memprof-cli tools/main.cpp)
  target_link_libraries(memprof-cli PRIVATE memprof_tools)
  memprof_enable_warnings(memprof-cli)
  set_target_properties(memprof-cli PROPERTIES
    OUTPUT_NAME memprof
    CXX_EXTENSIONS OFF
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

  # Its manual pages and completions, which it writes itself. Not where a program for another processor
  # cannot be run.
  if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    set(MEMPROF_MANUAL_DIR "${PROJECT_BINARY_DIR}/man")
    set(MEMPROF_COMPLETION_DIR "${PROJECT_BINARY_DIR}/completion")
    set(run ${CMAKE_CROSSCOMPILING_EMULATOR} "$<TARGET_FILE:memprof-cli>")
    add_custom_command(TARGET memprof-cli POST_BUILD
      COMMAND "${CMAKE_COMMAND}" -E rm -rf "${MEMPROF_MANUAL_DIR}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${MEMPROF_COMPLETION_DIR}"
      COMMAND ${run} manual --directory "${MEMPROF_MANUAL_DIR}"
      COMMAND ${run} completion bash > "${MEMPROF_COMPLETION_DIR}/memprof"
      COMMAND ${run} completion zsh > "${MEMPROF_COMPLETION_DIR}/_memprof"
      COMMAND ${run} completion fish > "${MEMPROF_COMPLETION_DIR}/memprof.fish"
      VERBATIM)
  endif()
endif()

add_library(memprof_internal INTERFACE)
target_link_libraries(memprof_internal INTERFACE memprof_core)
target_include_directories(memprof_internal INTERFACE
  "${MEMPROF_RUNTIME_DIR}" "${MEMPROF_LIVE_DIR}" "${MEMPROF_OFFLINE_DIR}" "${MEMPROF_SHARED_DIR}")

if(MEMPROF_SANITIZE)
  return()
endif()
add_library(memprof ${MEMPROF_OVERRIDE_SOURCES})
add_library(memprof::memprof ALIAS memprof)
target_link_libraries(memprof PUBLIC memprof_core PRIVATE ${CMAKE_DL_LIBS})
memprof_compile_in_process(memprof)
# A program need not mention malloc for the archive's members to be taken: this symbol asks for them.
target_link_options(memprof INTERFACE "LINKER:-u,memprof_override_anchor")
set_target_properties(memprof PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# In a static program glibc's malloc lies beneath ours under another name, __libc_malloc. The object that has it
# defines malloc as well: of the two definitions the first one counts, which is ours. And `gcc -static` leaves out
# the index of the unwind tables, without which no interrupt is delivered.
get_target_property(memprof_type memprof TYPE)
if(memprof_type STREQUAL "STATIC_LIBRARY")
  add_library(memprof_static INTERFACE)
  add_library(memprof::static ALIAS memprof_static)
  target_link_libraries(memprof_static INTERFACE memprof)
  target_link_options(memprof_static INTERFACE
    LINKER:-u,__libc_malloc LINKER:-z,muldefs LINKER:--eh-frame-hdr)
  set_target_properties(memprof_static PROPERTIES EXPORT_NAME static)
endif()

if(MEMPROF_BUILD_PRELOAD)
  set(exports "${MEMPROF_RUNTIME_DIR}/override/preload/exports.map")
  add_library(memprof_preload MODULE
    $<TARGET_OBJECTS:memprof_core> $<TARGET_OBJECTS:memprof> ${MEMPROF_PRELOAD_SOURCES})
  target_include_directories(memprof_preload PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(memprof_preload PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  memprof_compile_in_process(memprof_preload)
  target_link_options(memprof_preload PRIVATE
    "LINKER:--version-script=${exports}"  # the hooked functions, nothing else
    LINKER:--exclude-libs,ALL
    LINKER:-z,defs
    LINKER:-z,nodelete)                   # blocks and hooks outlive any dlclose
  set_target_properties(memprof_preload PROPERTIES
    OUTPUT_NAME memprof-preload
    # It needs none of our libraries. With a path the loader would try a dozen folders in it first,
    # at each start.
    INSTALL_RPATH ""
    LINK_DEPENDS "${exports}")
endif()

# RelWithDebInfo is what tests run: what is not in the profiled program's malloc compiles in two thirds of the time.
foreach(target IN ITEMS memprof_answers memprof_endpoints memprof_trace memprof_analysis memprof_page_server memprof_tools)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  endif()
endforeach()
