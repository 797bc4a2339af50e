// SPDX-License-Identifier: MIT
/// \file
/// Front header of `page_columns`: what the page computes with, as bytes, and the laws by which its
/// samples are thinned and split. The same for traces and for running programs.
#pragma once

#include "page_columns/allocation_function.hpp"
#include "page_columns/column_list.hpp"
#include "page_columns/index_columns.hpp"
#include "page_columns/node_flags.hpp"
#include "page_columns/own_function.hpp"
#include "page_columns/sample_halves.hpp"
#include "page_columns/thinned_samples.hpp"
