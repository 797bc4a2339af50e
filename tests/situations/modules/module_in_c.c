// SPDX-License-Identifier: MIT
// A module that needs the C library alone.
#include <stdlib.h>
#include <string.h>

unsigned module_work(unsigned seed) {
  unsigned sum = 0;
  for (unsigned i = 1; i < 40; ++i) {
    char* const p = malloc(i * 20);
    memset(p, (int)(seed + i), i * 20);
    char* const q = realloc(p, i * 50);
    sum += (unsigned char)q[i];
    free(q);
  }
  return sum;
}
