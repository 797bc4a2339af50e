# SPDX-License-Identifier: MIT
#
# The program delivery_million and its tests.

set(million_sources million/main.cpp million/parallel_workloads.cpp million/serial_workloads.cpp)
if(TARGET memprof)
  add_executable(delivery_million ${million_sources})
  target_link_libraries(delivery_million PRIVATE memprof)
else()
  add_executable(delivery_million ${million_sources} million/counting_new.cpp)
  target_link_libraries(delivery_million PRIVATE memprof_internal)
endif()
target_include_directories(delivery_million PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(delivery_million PRIVATE memprof_dep::ginac nlohmann_json::nlohmann_json)
memprof_enable_warnings(delivery_million)
# Inside <regex>, with sanitizers; inside std::stable_sort.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(false_alarm -Wno-maybe-uninitialized)
else()
  set(false_alarm -Wno-deprecated-declarations)
endif()
set_source_files_properties(million/parallel_workloads.cpp PROPERTIES
  COMPILE_OPTIONS ${false_alarm})

# GiNaC and CLN leak when an exception passes through them: not under LeakSanitizer.
set(ginac 1)
set(short 20000)
if(MEMPROF_SANITIZE)
  set(ginac 0)
  set(short 5000)
endif()
add_test(NAME delivery.million_short
  COMMAND delivery_million --interrupts ${short} --ginac ${ginac})
set_tests_properties(delivery.million_short PROPERTIES LABELS delivery TIMEOUT 300)
add_test(NAME delivery.million COMMAND delivery_million --interrupts 1000000 --ginac ${ginac})
set_tests_properties(delivery.million PROPERTIES LABELS long TIMEOUT 3600)
