# SPDX-License-Identifier: MIT
#
# The components of src/ (docs/architecture.md says what each is for and which it may include), and how
# code that runs inside the profiled program is compiled.

# memprof::core consists of these; `override` is what memprof::memprof adds, `fiber` is a component.
set(MEMPROF_CORE_COMPONENTS base relay records sampling modules copies callstack engine
  delivery delivery/decide delivery/reader delivery/x86_64 delivery/aarch64
  limits sources testing profile encoding tracer c_interface)

# The rooms: what runs inside malloc of the profiled program; what runs while it does, on threads that may
# allocate and wait; what reads traces afterwards; and what both of these use.
set(MEMPROF_RUNTIME_DIR "${PROJECT_SOURCE_DIR}/src/runtime")
set(MEMPROF_LIVE_DIR "${PROJECT_SOURCE_DIR}/src/live")
set(MEMPROF_OFFLINE_DIR "${PROJECT_SOURCE_DIR}/src/offline")
set(MEMPROF_SHARED_DIR "${PROJECT_SOURCE_DIR}/src/shared")

# The sources of the given components of a room. In a unity build (CMAKE_UNITY_BUILD, as most presets have it)
# up to 24 sources of one component are compiled together: most of the time goes to the headers that they share.
function(memprof_component_sources result room)
  set(sources)
  foreach(component IN LISTS ARGN)
    file(GLOB in_component CONFIGURE_DEPENDS "${room}/${component}/*.cpp")
    string(MAKE_C_IDENTIFIER "${component}" group)
    set(count 0)
    foreach(source IN LISTS in_component)
      math(EXPR part "${count} / 24")
      set_source_files_properties("${source}"
        DIRECTORY "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}"
        PROPERTIES UNITY_GROUP "${group}_${part}")
      math(EXPR count "${count} + 1")
    endforeach()
    list(APPEND sources ${in_component})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# In groups of a component, and not by the count of sources.
set(CMAKE_UNITY_BUILD_MODE GROUP)

# Compiles a library so that it shows only what is marked: MEMPROF_API for programs
# (memprof/detail/export.hpp), MEMPROF_INTERNAL_API for our other libraries (the same header). An archive
# too: a shared library of the user's that takes it in does not show our insides either.
function(memprof_hide_symbols target)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# The list of delivery/decide/unsafe_functions.txt as a string literal, which is compiled in.
set(memprof_unsafe_functions "${MEMPROF_RUNTIME_DIR}/delivery/decide/unsafe_functions.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${memprof_unsafe_functions}")
file(READ "${memprof_unsafe_functions}" memprof_unsafe_functions_text)
set(MEMPROF_GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")
file(CONFIGURE OUTPUT "${MEMPROF_GENERATED_DIR}/memprof_unsafe_functions.inc"
  CONTENT "R\"list(@memprof_unsafe_functions_text@)list\"\n" @ONLY)

# How every component inside the profiled program is compiled:
# initial-exec  thread-locals cost one load and are never allocated lazily (inside malloc that would
#               recurse); the price is a few hundred bytes of static TLS when loaded with dlopen.
# no-plt        a call of the next malloc goes straight through the GOT.
function(memprof_compile_in_process target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  target_compile_options(${target} PUBLIC ${memprof_cxx_library_options})
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -ftls-model=initial-exec -fno-plt)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # for large tables that are initialised statically
    target_compile_options(${target} PRIVATE -fconstexpr-steps=100000000)
  endif()
  if(MEMPROF_STATIC_PROBES)
    target_compile_definitions(${target} PRIVATE MEMPROF_HAS_STATIC_PROBES=1)
  endif()
  memprof_hide_symbols(${target})
  target_include_directories(${target} PRIVATE "${MEMPROF_RUNTIME_DIR}" "${MEMPROF_GENERATED_DIR}")
  memprof_enable_warnings(${target})
endfunction()

# What the component `override` adds, because its fast paths are a few instructions long:
# no-builtin    our malloc and calloc must not be compiled into calls of themselves.
# alignment     functions at 64 bytes and branches off 32-byte boundaries: without, the same code
#               costs up to 1.7 ns more on CPUs with the JCC erratum.
# cf-protection an endbr64 at each entry is an instruction more in a path of ten.
set(MEMPROF_OVERRIDE_OPTIONS -fno-builtin -falign-functions=64)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND MEMPROF_OVERRIDE_OPTIONS -fcf-protection=none)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND MEMPROF_OVERRIDE_OPTIONS -Wa,-mbranches-within-32B-boundaries)
  else()
    list(APPEND MEMPROF_OVERRIDE_OPTIONS -mbranches-within-32B-boundaries)
  endif()
endif()

memprof_component_sources(MEMPROF_CORE_SOURCES "${MEMPROF_RUNTIME_DIR}" ${MEMPROF_CORE_COMPONENTS})
memprof_component_sources(MEMPROF_OVERRIDE_SOURCES "${MEMPROF_RUNTIME_DIR}" override)
memprof_component_sources(MEMPROF_PRELOAD_SOURCES "${MEMPROF_RUNTIME_DIR}" override/preload)
memprof_component_sources(MEMPROF_FIBER_SOURCES "${MEMPROF_RUNTIME_DIR}" fiber)
memprof_component_sources(MEMPROF_SHARED_SOURCES "${MEMPROF_SHARED_DIR}" http pprof page_columns text)
memprof_component_sources(MEMPROF_TRACE_SOURCES "${MEMPROF_SHARED_DIR}" trace)
memprof_component_sources(MEMPROF_ANSWERS_SOURCES "${MEMPROF_LIVE_DIR}" answers)
memprof_component_sources(MEMPROF_ENDPOINTS_SOURCES "${MEMPROF_LIVE_DIR}" endpoints)
memprof_component_sources(MEMPROF_RECORDER_SOURCES "${MEMPROF_LIVE_DIR}" recorder)
memprof_component_sources(MEMPROF_ANALYSIS_SOURCES "${MEMPROF_OFFLINE_DIR}" symbolize analysis export)
memprof_component_sources(MEMPROF_PAGE_SERVER_SOURCES "${MEMPROF_OFFLINE_DIR}" page_server)
memprof_component_sources(MEMPROF_TOOLS_SOURCES "${PROJECT_SOURCE_DIR}" tools tools/commands tools/run)
# What the assembler refers to must not be changed by link-time optimisation.
set_source_files_properties("${MEMPROF_RUNTIME_DIR}/copies/own_copy.cpp"
  "${MEMPROF_RUNTIME_DIR}/tracer/attachment.cpp"
  PROPERTIES COMPILE_OPTIONS "-fno-lto")
# Between two stacks the sanitizers' own bookkeeping of calls would be wrong; they are told of the
# switch instead.
set_source_files_properties("${MEMPROF_RUNTIME_DIR}/fiber/context.cpp"
  PROPERTIES COMPILE_OPTIONS "-fno-sanitize=all")
set_source_files_properties(${MEMPROF_OVERRIDE_SOURCES} ${MEMPROF_PRELOAD_SOURCES}
  PROPERTIES COMPILE_OPTIONS "${MEMPROF_OVERRIDE_OPTIONS}")
