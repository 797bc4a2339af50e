// SPDX-License-Identifier: MIT
/// \file
/// Front header of the room `limits`: for the rooms that see allocations. What users call is
/// declared in include/memprof and defined here.
#pragma once

#include "limits/admission.hpp"
#include "limits/check_arguments.hpp"
#include "limits/forced_hit.hpp"
#include "limits/probe.hpp"
#include "limits/suspension.hpp"
