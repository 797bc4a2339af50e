// SPDX-License-Identifier: MIT
/// \file
/// Front header of `pprof`: profiles in the format of Google's pprof, profile.proto.
#pragma once

#include "pprof/gzip.hpp"            // IWYU pragma: export
#include "pprof/profile_parts.hpp"   // IWYU pragma: export
#include "pprof/profile_writer.hpp"  // IWYU pragma: export
#include "pprof/protobuf.hpp"        // IWYU pragma: export
