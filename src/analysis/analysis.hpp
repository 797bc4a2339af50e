// SPDX-License-Identifier: MIT
/// \file
/// Front header of the room `analysis`: what a trace says, each number with its error.
#pragma once

#include "analysis/alloc_stats.hpp"
#include "analysis/amount_text.hpp"
#include "analysis/call_tree.hpp"
#include "analysis/code_table.hpp"
#include "analysis/difference.hpp"
#include "analysis/event_text.hpp"
#include "analysis/flat_index.hpp"
#include "analysis/function_table.hpp"
#include "analysis/histogram.hpp"
#include "analysis/hotspots.hpp"
#include "analysis/identity.hpp"
#include "analysis/interval.hpp"
#include "analysis/name_pattern.hpp"
#include "analysis/object_table.hpp"
#include "analysis/sample_error.hpp"
#include "analysis/selection.hpp"
#include "analysis/series.hpp"
#include "analysis/sites.hpp"
#include "analysis/stack_profile.hpp"
#include "analysis/stack_tree.hpp"
#include "analysis/statistics.hpp"
#include "analysis/survival.hpp"
#include "analysis/trace_source.hpp"
#include "analysis/usage.hpp"
