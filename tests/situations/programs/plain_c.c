// SPDX-License-Identifier: MIT
// C without threads, C++ or libm; also linked statically, and by musl.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  unsigned sum = 0;
  for (unsigned i = 1; i < 2000; ++i) {
    unsigned char* const p = malloc(i % 700 + 1);
    memset(p, (int)i, i % 700 + 1);
    unsigned char* const q = realloc(p, i % 900 + 1);
    sum += q[0];
    free(q);
  }
  printf("sum %u\n", sum);
  fflush(stdout);
  pid_t const child = fork();
  if (child == 0) {
    free(calloc(10, 10));
    _exit(4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("status %d\n", WEXITSTATUS(status));
  return 3;
}
