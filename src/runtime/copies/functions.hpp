// SPDX-License-Identifier: MIT
/// \file
/// The functions that one copy of the library offers to the others: all functions of the public
/// interface that read or change state of the process or of a thread. (tests/lint/one_copy.py
/// compares.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>

#include "memprof/memprof.hpp"

namespace memprof::inline v0::detail {

// Members of public classes, as functions; each is defined beside the class that it belongs to.
token_state* make_token_state(token_state* parent);
void drop_token_state(token_state* state) noexcept;
std::shared_ptr<shared_account> open_budget(limits l);
estimate live_of_budget(shared_account const* account) noexcept;
std::optional<interrupted> interruption_of(shared_account& account);
std::uint32_t enter_label(std::string_view key, std::string_view value) noexcept;
void leave_label(std::uint32_t set, std::uint32_t outer) noexcept;
void end_profile(profile_session* session) noexcept;
void stop_profile(profile_session* session);
void discard_profile(profile_session* session);
void register_source() noexcept;
void unregister_source() noexcept;
void* allocate_from(std::pmr::memory_resource* upstream, std::size_t size, std::size_t alignment);
void deallocate_to(std::pmr::memory_resource* upstream, void* block, std::size_t size,
                   std::size_t alignment);
void report_allocation(void const* block, std::size_t size) noexcept;
void report_deallocation(void const* block) noexcept;

}  // namespace memprof::inline v0::detail

namespace memprof::copies {

/// Each member is called like the function that it points to, that of this copy.
struct functions {
#define MEMPROF_OFFERS(SPACE, NAME) decltype(&SPACE::NAME) NAME = &SPACE::NAME
  // limits
  MEMPROF_OFFERS(detail, run);
  MEMPROF_OFFERS(detail, check_run);
  MEMPROF_OFFERS(detail, begin_scope);
  MEMPROF_OFFERS(detail, end_scope);
  MEMPROF_OFFERS(detail, should_stop);
  MEMPROF_OFFERS(memprof, is_interrupted);
  MEMPROF_OFFERS(memprof, cancellation_point);
  MEMPROF_OFFERS(memprof, is_masked);
  MEMPROF_OFFERS(detail, mask);
  MEMPROF_OFFERS(detail, unmask);
  MEMPROF_OFFERS(detail, mask_depth);
  MEMPROF_OFFERS(detail, set_mask_depth);
  MEMPROF_OFFERS(memprof, set_deferral_observer);
  MEMPROF_OFFERS(memprof, deferrals_by_reason);
  MEMPROF_OFFERS(memprof, overdue_tasks);
  MEMPROF_OFFERS(memprof, set_global_memory_limit);
  MEMPROF_OFFERS(memprof, global_memory_limit);
  MEMPROF_OFFERS(memprof, set_global_memory_victim);
  MEMPROF_OFFERS(memprof, global_memory_victim);
  MEMPROF_OFFERS(memprof, set_global_memory_patience);
  MEMPROF_OFFERS(memprof, global_memory_patience);
  MEMPROF_OFFERS(detail, open_budget);
  MEMPROF_OFFERS(detail, live_of_budget);
  MEMPROF_OFFERS(detail, interruption_of);
  MEMPROF_OFFERS(memprof, current_budget);
  MEMPROF_OFFERS(detail, allocate_uncounted);
  MEMPROF_OFFERS(detail, make_token_state);
  MEMPROF_OFFERS(detail, drop_token_state);
  // labels
  MEMPROF_OFFERS(detail, enter_label);
  MEMPROF_OFFERS(detail, leave_label);
  MEMPROF_OFFERS(memprof, current_label_set);
  MEMPROF_OFFERS(memprof, labels_of);
  MEMPROF_OFFERS(memprof, labels_left_out);
  // delivery
  MEMPROF_OFFERS(memprof, set_delivery_through);
  MEMPROF_OFFERS(memprof, set_delivery_through_module);
  MEMPROF_OFFERS(memprof, set_delivery_through_function);
  MEMPROF_OFFERS(memprof, set_malloc_after_hit_in_module);
  // the process
  MEMPROF_OFFERS(memprof, is_active);
  MEMPROF_OFFERS(memprof, process_sampling_rate);
  MEMPROF_OFFERS(memprof, set_process_sampling_rate);
  MEMPROF_OFFERS(memprof, limit_sampling_rate);
  MEMPROF_OFFERS(memprof, set_limit_sampling_rate);
  MEMPROF_OFFERS(memprof, set_seed);
  MEMPROF_OFFERS(memprof, nursery);
  MEMPROF_OFFERS(memprof, set_nursery);
  MEMPROF_OFFERS(memprof, live_memory);
  MEMPROF_OFFERS(memprof, live_major_memory);
  MEMPROF_OFFERS(memprof, counters);
  MEMPROF_OFFERS(memprof, traced_hits);
  MEMPROF_OFFERS(memprof, audit_sampling);
  MEMPROF_OFFERS(memprof, set_callstack_method);
  MEMPROF_OFFERS(memprof, get_callstack_method);
  MEMPROF_OFFERS(memprof, counters_of_callstacks);
  MEMPROF_OFFERS(memprof, callstack_depth);
  MEMPROF_OFFERS(memprof, set_callstack_depth);
  // sources
  MEMPROF_OFFERS(detail, register_source);
  MEMPROF_OFFERS(detail, unregister_source);
  MEMPROF_OFFERS(detail, allocate_counted);
  MEMPROF_OFFERS(detail, deallocate_counted);
  MEMPROF_OFFERS(detail, allocate_from);
  MEMPROF_OFFERS(detail, deallocate_to);
  MEMPROF_OFFERS(detail, report_allocation);
  MEMPROF_OFFERS(detail, report_deallocation);
  // profile
  MEMPROF_OFFERS(memprof, start_profile);
  MEMPROF_OFFERS(detail, end_profile);
  MEMPROF_OFFERS(detail, stop_profile);
  MEMPROF_OFFERS(detail, discard_profile);
  // tracer
  MEMPROF_OFFERS(memprof, start_tracing);
  MEMPROF_OFFERS(memprof, stop_tracing);
  MEMPROF_OFFERS(memprof, currently_tracing);
  MEMPROF_OFFERS(memprof, trace_if_requested);
  MEMPROF_OFFERS(memprof, counters_of_tracing);
  // testing
  MEMPROF_OFFERS(testing::detail, sweep);
  MEMPROF_OFFERS(testing, force_interrupt);
  MEMPROF_OFFERS(testing, is_pending);
#undef MEMPROF_OFFERS
};

}  // namespace memprof::copies
