// SPDX-License-Identifier: MIT
/// \file
/// Front header of `engine`: the sampling engine under every allocation. It
/// counts words, draws samples, and keeps a record of each sampled block. It knows nothing of
/// limits: they request events (`wakeup`, `demand`) and own the blocks (`owner`). A trace and a
/// profile are notified of blocks (`observer`).
#pragma once

#include "engine/account.hpp"
#include "engine/address_index.hpp"
#include "engine/contribution.hpp"
#include "engine/estimate_audit.hpp"
#include "engine/event.hpp"
#include "engine/gap_audit.hpp"
#include "engine/labels.hpp"
#include "engine/left_by_jump.hpp"
#include "engine/nursery.hpp"
#include "engine/observers.hpp"
#include "engine/outside_call.hpp"
#include "engine/page_index.hpp"
#include "engine/process_seed.hpp"
#include "engine/process_state.hpp"
#include "engine/sampled_amount.hpp"
#include "engine/stack_sums.hpp"
#include "engine/stack_switch.hpp"
#include "engine/thread_state.hpp"
#include "engine/totals.hpp"
#include "engine/trace_ids.hpp"
#include "engine/tracked_block.hpp"
