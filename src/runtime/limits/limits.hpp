// SPDX-License-Identifier: MIT
/// \file
/// Front header of `limits`, for the components that see allocations. The public functions are
/// declared in include/memprof and defined in this folder.
#pragma once

#include "limits/admission.hpp"
#include "limits/check_arguments.hpp"
#include "limits/inject_interrupt.hpp"
#include "limits/probe.hpp"
#include "limits/soft_limits.hpp"
#include "limits/stops.hpp"
#include "limits/suspension.hpp"
