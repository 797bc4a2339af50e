// SPDX-License-Identifier: MIT
/// \file
/// What a report of interruption testing must say of code that is right.
#pragma once

#include "memprof/testing.hpp"

#include "support/catch2.hpp"

#define CHECK_REPORT(report)         \
  do {                               \
    auto const& the_report = report; \
    INFO(the_report.message());      \
    CHECK(the_report.ok());          \
    CHECK(the_report.complete());    \
    CHECK(the_report.deterministic); \
  } while (false)
