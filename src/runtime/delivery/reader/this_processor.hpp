// SPDX-License-Identifier: MIT
/// \file
/// The processor that this library is compiled for.
#pragma once

#if defined(__x86_64__)
#include "delivery/x86_64/processor.hpp"
#elif defined(__aarch64__)
#include "delivery/aarch64/processor.hpp"
#else
#include "delivery/unsupported_processor.hpp"
#endif

namespace memprof::delivery {

#if defined(__x86_64__)
using processor = x86_64::processor;
#elif defined(__aarch64__)
using processor = aarch64::processor;
#else
using processor = unsupported_processor;
#endif
static_assert(readable_processor<processor>);

}  // namespace memprof::delivery
