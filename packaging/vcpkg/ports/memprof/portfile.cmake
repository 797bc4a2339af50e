# SPDX-License-Identifier: MIT
#
# Untested. Builds the tree that this port lies in: the library, without the command.

get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES fiber MEMPROF_BUILD_FIBER)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${options}
    -DMEMPROF_BUILD_TESTS=OFF
    -DMEMPROF_BUILD_EXAMPLES=OFF
    -DMEMPROF_BUILD_TOOLS=OFF
    -DMEMPROF_BUILD_SERVE=OFF
    -DMEMPROF_BUILD_PRELOAD=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/memprof)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
