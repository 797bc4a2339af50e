// SPDX-License-Identifier: MIT
/// \file
/// Put before own_copy.cpp, so that it is a copy of another version.
#pragma once

#include "memprof/version.hpp"

#undef MEMPROF_VERSION_STRING
#define MEMPROF_VERSION_STRING "9.9.9"
