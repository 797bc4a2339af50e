// SPDX-License-Identifier: MIT
/// \file
/// Front header of `base`, which every other component may use. Nothing here allocates
/// through the functions that are replaced.
#pragma once

#include "base/bounded_list.hpp"
#include "base/bounded_text.hpp"
#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/guarded_slots.hpp"
#include "base/index_pool.hpp"
#include "base/mapped_array.hpp"
#include "base/packed_slots.hpp"
#include "base/page_memory.hpp"
#include "base/printable.hpp"
#include "base/process_barrier.hpp"
#include "base/random_bits.hpp"
#include "base/runtime_abi.hpp"
#include "base/sleep_uncancellable.hpp"
#include "base/spare_index.hpp"
#include "base/spin_lock.hpp"
#include "base/text_store.hpp"
#include "base/thread_counters.hpp"
#include "base/versioned_text.hpp"
