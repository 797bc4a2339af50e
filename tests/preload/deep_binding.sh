#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A program under the preload library hands blocks to a plug-in that it has loaded with RTLD_DEEPBIND, by a path, by a
# name in a folder of its DT_RUNPATH, and through a library of its own. Loaded without the flag, it is found as well.
# (A file for another processor, earlier in the DT_RUNPATH, is passed over.)
set -euo pipefail

cat >plug.c <<'END'
#include <stdlib.h>
#include <string.h>
char *plug_take(char *text) { free(text); return strdup("from the plug-in"); }
END
cat >host.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int host(char const *name) {
  void *plug_in = dlopen(name, RTLD_NOW | (getenv("PLAIN") ? 0 : RTLD_DEEPBIND));
  if (!plug_in) { puts(dlerror()); return 2; }
  char *(*take)(char *) = (char *(*)(char *))dlsym(plug_in, "plug_take");
  for (int i = 0; i < 50000; i++) {
    char *text = malloc(20 + i % 300);
    strcpy(text, "x");
    text = take(text);
    free(text);
  }
  return 0;
}
END
echo 'int host(char const *); int main(int n, char **v) { return host(v[n - 1]); }' >main.c
mkdir -p folder other
gcc="${CC:-gcc}"
"$gcc" -O1 -shared -fPIC plug.c -o folder/plug.so
"$gcc" -O1 main.c host.c -o program -Wl,-rpath,'$ORIGIN/other:$ORIGIN/folder' -ldl
"$gcc" -O1 -shared -fPIC host.c -o libhost.so -Wl,-rpath,"$PWD/other:$PWD/folder" -ldl
# e_machine of AVR.
cp folder/plug.so other/plug.so
printf '\123\000' | dd of=other/plug.so bs=1 seek=18 conv=notrunc status=none
"$gcc" -O1 main.c -o through_library ./libhost.so

for rate in 0 1e-4 1; do
  for name in folder/plug.so ./folder/plug.so "$PWD/folder/plug.so" plug.so; do
    for program in ./program ./through_library; do
      MEMPROF_RATE=$rate LD_PRELOAD=$MEMPROF_PRELOAD "$program" "$name"
      PLAIN=1 MEMPROF_RATE=$rate LD_PRELOAD=$MEMPROF_PRELOAD "$program" "$name"
    done
  done
done
if LD_PRELOAD=$MEMPROF_PRELOAD ./program none.so >said.txt; then exit 1; fi
grep -q '^none.so: cannot open shared object file' said.txt
