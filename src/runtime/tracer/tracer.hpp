// SPDX-License-Identifier: MIT
/// \file
/// Front header of `tracer`: for the preload library, which traces a program that does not
/// know of it. Everything else is public: memprof/tracing.hpp.
#pragma once

#include "tracer/exit_mark.hpp"
#include "tracer/observer.hpp"
#include "tracer/refusal.hpp"
#include "tracer/request.hpp"
#include "tracer/session.hpp"
