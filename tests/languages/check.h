/* SPDX-License-Identifier: MIT */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "%s:%d: %s is not so\n", __FILE__, __LINE__, #condition);       \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)
