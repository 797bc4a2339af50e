// SPDX-License-Identifier: MIT
#define MEMPROF_TEST_NOEXCEPT true
#include "see_through.cpp"
