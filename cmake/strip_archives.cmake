# SPDX-License-Identifier: MIT
#
# Run by cpack over the files that it packs: archives without debug information.

file(GLOB_RECURSE archives "${CPACK_TEMPORARY_DIRECTORY}/*.a")
foreach(archive IN LISTS archives)
  execute_process(COMMAND "${CPACK_STRIP_EXECUTABLE}" --strip-debug "${archive}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
