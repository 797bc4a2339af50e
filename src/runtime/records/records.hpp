// SPDX-License-Identifier: MIT
/// \file
/// Front header of `records`: what is made of the records that a process pushes, in that process or
/// in a recorder. Nothing here allocates.
#pragma once

#include "records/channel_reader.hpp"  // IWYU pragma: export
#include "records/code_names.hpp"      // IWYU pragma: export
#include "records/module_table.hpp"    // IWYU pragma: export
#include "records/process_trace.hpp"   // IWYU pragma: export
#include "records/record_sink.hpp"     // IWYU pragma: export
#include "records/thread_book.hpp"     // IWYU pragma: export
