// SPDX-License-Identifier: MIT
/// \file
/// Front header of `export`: analyses in the formats of other tools, and as plots.
#pragma once

#include "export/dhat.hpp"
#include "export/event_table.hpp"
#include "export/folded.hpp"
#include "export/json_number.hpp"
#include "export/json_tree.hpp"
#include "export/names.hpp"
#include "export/otlp.hpp"
#include "export/pprof.hpp"
#include "export/speedscope.hpp"
#include "export/svg_plot.hpp"
