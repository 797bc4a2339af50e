// SPDX-License-Identifier: MIT
/// \file
/// For programs that test one nasty situation each: a check that allocates nothing and ends the
/// program with a line that says where.
#pragma once

#include <cstdio>
#include <unistd.h>

#define CHECK(condition)                                                           \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      std::fflush(stderr);                                                         \
      _exit(1);                                                                    \
    }                                                                              \
  } while (false)
