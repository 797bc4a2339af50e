# SPDX-License-Identifier: MIT
#
# For AArch64, from another machine: Debian's cross compiler (g++-aarch64-linux-gnu), libraries from
# packages of the architecture arm64, and QEMU (qemu-user) to run what was built. scripts/check_aarch64.sh
# makes a system that has all this.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(memprof_triplet aarch64-linux-gnu)
set(CMAKE_C_COMPILER ${memprof_triplet}-gcc)
set(CMAKE_CXX_COMPILER ${memprof_triplet}-g++)

# The loader of programs for arm64 is where they look for it if libc6:arm64 is installed; else in the
# folder of the cross compiler.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
if(NOT EXISTS /lib/ld-linux-aarch64.so.1)
  list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L /usr/${memprof_triplet})
endif()

# pkg-config must not answer with this machine's own libraries.
set(ENV{PKG_CONFIG_LIBDIR} "/usr/lib/${memprof_triplet}/pkgconfig:/usr/share/pkgconfig")
