#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds the consumer's programs against the installed memprof with pkg-config, and runs them.
set -euo pipefail
here=$(dirname "$0")

pc=$(find "$MEMPROF_PREFIX" -name memprof.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH

version=$(pkg-config --modversion memprof)
if [[ $version != "$MEMPROF_VERSION" ]]; then
  echo "memprof.pc says version $version, not $MEMPROF_VERSION" >&2
  exit 1
fi
preload=$(pkg-config --variable=preload memprof)
if [[ ! -e $preload ]]; then
  echo "memprof.pc says the preload library is $preload: there is no such file" >&2
  exit 1
fi

# Words of compiler options: they are meant to be split.
# shellcheck disable=SC2046
"$CXX" -std=c++23 -O2 "$here/consumer/program.cpp" -o program \
  "-DCONSUMER_MEMPROF_VERSION=\"$version\"" $(pkg-config --cflags --libs memprof)
# shellcheck disable=SC2046
"$CXX" -std=c++23 -O2 "$here/consumer/core_only.cpp" -o core_only \
  $(pkg-config --cflags --libs memprof-core)
libraries=${pc%/pkgconfig/*}
if [[ -e $libraries/libmemprof.a && ! -e $libraries/libmemprof.so ]]; then
  # shellcheck disable=SC2046
  "$CXX" -std=c++23 -O2 -static "$here/consumer/program.cpp" -o static_program \
    "-DCONSUMER_MEMPROF_VERSION=\"$version\"" $(pkg-config --static --cflags --libs memprof)
  ./static_program
fi
fiber=$(dirname "$pc")/memprof-fiber.pc
if [[ -e $fiber ]]; then
  # shellcheck disable=SC2046
  "$CXX" -std=c++23 -O2 "$here/consumer/pausing.cpp" -o pausing \
    $(pkg-config --cflags --libs memprof-fiber memprof)
fi
export LD_LIBRARY_PATH=${pc%/pkgconfig/*}
./program
./core_only
if [[ -e $fiber ]]; then ./pausing; fi

serve=$(dirname "$pc")/memprof-serve.pc
if [[ -e $serve ]]; then
  # shellcheck disable=SC2046
  "$CXX" -std=c++23 -O2 "$here/consumer/served.cpp" -o served \
    $(pkg-config --cflags --libs memprof-serve memprof)
  ./served
fi
