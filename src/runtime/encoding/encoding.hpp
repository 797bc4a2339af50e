// SPDX-License-Identifier: MIT
/// \file
/// Front header of `encoding`: the format of a trace file, and the encoder of its packets, which
/// does not allocate. The tracer in the profiled program uses it, and the readers and writers of
/// files.
#pragma once

#include "encoding/code_name.hpp"
#include "encoding/format.hpp"
#include "encoding/interrupt_note.hpp"
#include "encoding/note.hpp"
#include "encoding/stream_encoder.hpp"
#include "encoding/thread_code.hpp"
