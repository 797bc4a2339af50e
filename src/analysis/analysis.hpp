// SPDX-License-Identifier: MIT
/// \file
/// Front header of the room `analysis`: what a trace says, each number with its error.
#pragma once

#include "analysis/amount_text.hpp"
#include "analysis/code_table.hpp"
#include "analysis/event_text.hpp"
#include "analysis/flat_index.hpp"
#include "analysis/hotspots.hpp"
#include "analysis/identity.hpp"
#include "analysis/name_pattern.hpp"
#include "analysis/object_table.hpp"
#include "analysis/selection.hpp"
#include "analysis/stack_tree.hpp"
#include "analysis/trace_source.hpp"
#include "analysis/usage.hpp"
