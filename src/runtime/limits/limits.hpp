// SPDX-License-Identifier: MIT
/// \file
/// Front header of `limits`: for the components that see allocations. What users call is
/// declared in include/memprof and defined here.
#pragma once

#include "limits/admission.hpp"
#include "limits/check_arguments.hpp"
#include "limits/inject_interrupt.hpp"
#include "limits/probe.hpp"
#include "limits/suspension.hpp"
