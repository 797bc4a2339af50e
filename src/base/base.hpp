// SPDX-License-Identifier: MIT
/// \file
/// Front header of the room `base`: what every other room may stand on. Nothing here allocates
/// through the functions that are replaced.
#pragma once

#include "base/environment.hpp"
#include "base/index_pool.hpp"
#include "base/nap.hpp"
#include "base/page_memory.hpp"
#include "base/runtime_abi.hpp"
#include "base/spare_index.hpp"
#include "base/spin_lock.hpp"
#include "base/thread_cells.hpp"
