// SPDX-License-Identifier: MIT
/// \file
/// Front header of `page_index`: what the page computes with, as bytes, and the laws by which its
/// samples are thinned and split. The same for traces and for running programs.
#pragma once

#include "page_index/allocation_function.hpp"
#include "page_index/column_list.hpp"
#include "page_index/node_flags.hpp"
#include "page_index/own_function.hpp"
#include "page_index/sample_halves.hpp"
#include "page_index/thinned_samples.hpp"
