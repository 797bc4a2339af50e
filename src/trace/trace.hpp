// SPDX-License-Identifier: MIT
/// \file
/// Front header of the room `trace`, for the rooms inside the profiled program: the encoder of
/// packets. Readers and writers of files are public, memprof/trace/*.hpp.
#pragma once

#include "trace/encoding/format.hpp"
#include "trace/encoding/interrupt_note.hpp"
#include "trace/encoding/stream_encoder.hpp"
