// SPDX-License-Identifier: MIT
// Resolvers of IFUNCs allocate, while the loader relocates the program.
#include <stdio.h>
#include <stdlib.h>

static int one(void) { return 1; }
static int two(void) { return 2; }

static int (*resolve(void))(void) {
  void* const p = malloc(300);
  void* const q = calloc(3, 100);
  int const both = p != NULL && q != NULL;
  free(q);
  free(p);
  return both ? two : one;
}

int chosen(void) __attribute__((ifunc("resolve")));

int main(void) {
  printf("%d\n", chosen());
  return 0;
}
