// SPDX-License-Identifier: MIT
/// \file
/// Front header of `trace`, for what is not in include/memprof/trace.
#pragma once

#include "trace/create_file.hpp"  // IWYU pragma: export
#include "trace/legend.hpp"       // IWYU pragma: export
