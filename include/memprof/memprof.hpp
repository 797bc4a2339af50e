// SPDX-License-Identifier: MIT
/// \file
/// Everything: probabilistic memory and allocation limits.
#pragma once

#include "memprof/bounds.hpp"
#include "memprof/callstack.hpp"
#include "memprof/ceiling.hpp"
#include "memprof/confidence.hpp"
#include "memprof/coroutine.hpp"
#include "memprof/delivery.hpp"
#include "memprof/delivery_bounds.hpp"
#include "memprof/estimate.hpp"
#include "memprof/interrupted.hpp"
#include "memprof/limits.hpp"
#include "memprof/masking.hpp"
#include "memprof/memory_bounds.hpp"
#include "memprof/poisonable.hpp"
#include "memprof/process.hpp"
#include "memprof/recovery.hpp"
#include "memprof/sampling.hpp"
#include "memprof/sampling_audit.hpp"
#include "memprof/soft_limit.hpp"
#include "memprof/sources.hpp"
#include "memprof/testing.hpp"
#include "memprof/token.hpp"
#include "memprof/tracing.hpp"
#include "memprof/units.hpp"
#include "memprof/version.hpp"
