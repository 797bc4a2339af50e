// SPDX-License-Identifier: MIT
/// \file
/// Front header of `recorder`: writes the traces of programs that run now, from what they push into
/// shared memory (`relay`).
#pragma once

#include "recorder/attachment.hpp"         // IWYU pragma: export
#include "recorder/heap_rows.hpp"          // IWYU pragma: export
#include "recorder/live_snapshot.hpp"      // IWYU pragma: export
#include "recorder/process_facts.hpp"      // IWYU pragma: export
#include "recorder/program_processes.hpp"  // IWYU pragma: export
#include "recorder/recording.hpp"          // IWYU pragma: export
