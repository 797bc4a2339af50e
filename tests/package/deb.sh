#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The Debian packages: built, unpacked into a folder, and used from there. Nothing is installed; that is
# done, in a system of its own, by deb_installed.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

if ! command -v dpkg-shlibdeps >/dev/null || ! command -v file >/dev/null; then
  echo "skipped: building packages needs dpkg-dev and file"
  exit 77
fi
bash "$MEMPROF_SOURCE/scripts/build_packages.sh" packages > output 2>&1 || { tail -n 50 output >&2; exit 1; }

rm -rf root
mkdir root
for name in libmemprof0 libmemprof-dev memprof; do
  deb=(packages/"$name"_"$MEMPROF_VERSION"_*.deb)
  dpkg-deb -x "${deb[0]}" root
  for field in Maintainer Section Description Depends; do
    if [[ -z $(dpkg-deb -f "${deb[0]}" "$field") ]]; then
      echo "$name has no field $field" >&2
      exit 1
    fi
  done
  [[ -e root/usr/share/doc/$name/copyright ]]
done
# Its libraries are found by the loader only after ldconfig.
rm -rf control
dpkg-deb -e packages/libmemprof0_*.deb control
grep -rq ldconfig control  # a trigger, or a script: as cpack's version does it

sections() { readelf -SW "$1" | grep -E '\.(symtab|debug_)' || true; }
while read -r file; do
  if [[ -n $(sections "$file") ]]; then
    echo "$file is not stripped" >&2
    exit 1
  fi
done < <(find root/usr/bin root/usr/lib -type f \( -perm -u+x -o -name '*.so*' \) ! -name '*.cmake' ! -name '*.py')

# What was stripped lies in packages of its own, where gdb looks: by the build id.
for name in libmemprof0 memprof; do dpkg-deb -x packages/"$name"-dbgsym_*.ddeb root; done
for file in root/usr/bin/memprof root/usr/lib/*/libmemprof-preload.so root/usr/lib/*/libmemprof-core.so.*.*.*; do
  id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
  debug=root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
  if [[ $(sections "$debug") != *debug_info* ]]; then
    echo "$file has no debug information at $debug" >&2
    exit 1
  fi
done
if [[ $(readelf -SW root/usr/lib/*/libmemprof-core.a 2>/dev/null) == *debug_* ]]; then
  echo "libmemprof-core.a has debug information" >&2
  exit 1
fi

MEMPROF_PREFIX=$PWD/root/usr
export MEMPROF_PREFIX
libraries=$(dirname "$(find "$MEMPROF_PREFIX" -name libmemprof-core.so)")
# In place of ldconfig, which runs where they are installed: there they find each other.
export LD_LIBRARY_PATH=$libraries
python3 "$here/exports.py" "$libraries"
bash "$here/find_package.sh"
readelf -d build/program | grep 'NEEDED.*libmemprof\.so'
bash "$here/find_package.sh" -Dmemprof_USE_STATIC_LIBS=ON
if readelf -d build/program | grep 'NEEDED.*libmemprof'; then
  echo "memprof_USE_STATIC_LIBS gives shared libraries" >&2
  exit 1
fi
bash "$here/pkg_config.sh"
bash "$here/command.sh"
