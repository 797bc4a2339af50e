// SPDX-License-Identifier: MIT
/// \file
/// Front header of `symbolize`: from addresses in modules to functions and lines.
#pragma once

#include "symbolize/brief_name.hpp"
#include "symbolize/elf_image.hpp"
#include "symbolize/memory_budget.hpp"
#include "symbolize/module_notes.hpp"
#include "symbolize/raw_location.hpp"
#include "symbolize/resolver.hpp"
#include "symbolize/short_name.hpp"
#include "symbolize/symbol_table.hpp"
#include "symbolize/symbolize_trace.hpp"
#include "symbolize/whole_names.hpp"
