// SPDX-License-Identifier: MIT
/// \file
/// Front header of the room `analysis`: what a trace says, each number with its error.
#pragma once

#include "analysis/amount_text.hpp"
#include "analysis/trace_source.hpp"
