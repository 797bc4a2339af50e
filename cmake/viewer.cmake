# SPDX-License-Identifier: MIT
#
# The page of `memprof serve`: built by npm in viewer/, embedded in the command.
#
#   MEMPROF_BUILD_VIEWER   ON if the page can be had: viewer/dist is there, or npm 9 and node 20 to
#                          build it. Without, `serve` answers its routes and says so at "/".
#   MEMPROF_VIEWER_DIST    a folder with a page that is built; the default is viewer/dist.
#
# npm is run if viewer/dist is missing, or older than the sources while viewer/node_modules is there:
# who has a built page needs neither npm nor a network.

set(viewer "${PROJECT_SOURCE_DIR}/viewer")
set(MEMPROF_VIEWER_DIST "" CACHE PATH "A folder with the built page, in place of viewer/dist")

# The first number of what `program --version` prints; 0 if it is none.
function(memprof_major_version result program)
  set(${result} 0 PARENT_SCOPE)
  if(program)
    execute_process(COMMAND "${program}" --version OUTPUT_VARIABLE text ERROR_QUIET)
    if(text MATCHES "^v?([0-9]+)")
      set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
    endif()
  endif()
endfunction()

find_program(MEMPROF_NPM npm)
find_program(MEMPROF_NODE node)
mark_as_advanced(MEMPROF_NPM MEMPROF_NODE)
memprof_major_version(npm_version "${MEMPROF_NPM}")
memprof_major_version(node_version "${MEMPROF_NODE}")
set(has_npm OFF)
if(npm_version GREATER_EQUAL 9 AND node_version GREATER_EQUAL 20)
  set(has_npm ON)
endif()
find_package(Python3 QUIET COMPONENTS Interpreter)

set(dist "${viewer}/dist")
set(has_page OFF)
if(MEMPROF_VIEWER_DIST)
  set(dist "${MEMPROF_VIEWER_DIST}")
  set(has_page ON)
elseif(EXISTS "${dist}/index.html" OR (has_npm AND EXISTS "${viewer}/package.json"))
  set(has_page ON)
endif()
if(NOT Python3_FOUND)
  set(has_page OFF)
endif()
memprof_option_if_found(MEMPROF_BUILD_VIEWER
  "Embed the page of memprof serve (needs npm 9, node 20, Python 3)"
  ${has_page})

if(NOT MEMPROF_BUILD_VIEWER)
  set(MEMPROF_PAGE_SOURCE "${MEMPROF_OFFLINE_DIR}/page_server/without_page/no_page.cpp")
  return()
endif()
memprof_need("${has_page}" "a built page, or npm 9, node 20 and Python 3" "MEMPROF_BUILD_VIEWER"
  "nodejs npm python3")

set(page_files)
if(NOT MEMPROF_VIEWER_DIST AND has_npm AND EXISTS "${viewer}/package.json"
   AND (EXISTS "${viewer}/node_modules" OR NOT EXISTS "${dist}/index.html"))
  file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS "${viewer}/src/*" "${viewer}/public/*")
  file(GLOB viewer_settings CONFIGURE_DEPENDS "${viewer}/*.json" "${viewer}/*.html" "${viewer}/*.ts")
  set(installed "${viewer}/node_modules/.package-lock.json")
  add_custom_command(OUTPUT "${installed}"
    COMMAND "${MEMPROF_NPM}" ci --no-audit --no-fund
    DEPENDS "${viewer}/package-lock.json"
    WORKING_DIRECTORY "${viewer}" COMMENT "Installing what the page is built with" VERBATIM)
  add_custom_command(OUTPUT "${dist}/index.html" "${dist}/single.html"
    COMMAND "${MEMPROF_NPM}" run build
    COMMAND "${CMAKE_COMMAND}" -E touch "${dist}/index.html" "${dist}/single.html"
    DEPENDS "${installed}" ${viewer_sources} ${viewer_settings}
    WORKING_DIRECTORY "${viewer}" COMMENT "Building the page" VERBATIM)
  set(page_files "${dist}/index.html" "${dist}/single.html")
else()
  file(GLOB_RECURSE page_files CONFIGURE_DEPENDS "${dist}/*")
endif()

set(MEMPROF_SINGLE_PAGE "${dist}/single.html")
set(MEMPROF_PAGE_SOURCE "${PROJECT_BINARY_DIR}/generated/page.cpp")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/generated")
add_custom_command(OUTPUT "${MEMPROF_PAGE_SOURCE}"
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/cmake/embed_page.py" "${dist}"
    "${MEMPROF_PAGE_SOURCE}"
  DEPENDS ${page_files} "${PROJECT_SOURCE_DIR}/cmake/embed_page.py"
  COMMENT "Embedding the page" VERBATIM)
# ISO C++ asks compilers for literals of 65536 characters only; g++ and clang have no such limit.
set_source_files_properties("${MEMPROF_PAGE_SOURCE}" PROPERTIES
  COMPILE_OPTIONS -Wno-overlength-strings)
