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

/// Each member is called like the function that it points to.
struct functions {
  // limits
  decltype(&detail::run) run;
  decltype(&memprof::is_interrupted) is_interrupted;
  decltype(&memprof::cancellation_point) cancellation_point;
  decltype(&memprof::is_masked) is_masked;
  decltype(&detail::mask) mask;
  decltype(&detail::unmask) unmask;
  decltype(&detail::mask_depth) mask_depth;
  decltype(&detail::set_mask_depth) set_mask_depth;
  decltype(&memprof::set_deferral_observer) set_deferral_observer;
  decltype(&memprof::deferrals_by_reason) deferrals_by_reason;
  decltype(&memprof::overdue_tasks) overdue_tasks;
  decltype(&memprof::set_global_memory_limit) set_global_memory_limit;
  decltype(&memprof::global_memory_limit) global_memory_limit;
  decltype(&memprof::set_global_memory_victim) set_global_memory_victim;
  decltype(&memprof::global_memory_victim) global_memory_victim;
  decltype(&memprof::set_global_memory_patience) set_global_memory_patience;
  decltype(&memprof::global_memory_patience) global_memory_patience;
  decltype(&detail::open_budget) open_budget;
  decltype(&detail::live_of_budget) live_of_budget;
  decltype(&detail::interruption_of) interruption_of;
  decltype(&memprof::current_budget) current_budget;
  decltype(&detail::allocate_uncounted) allocate_uncounted;
  decltype(&detail::make_token_state) make_token_state;
  decltype(&detail::drop_token_state) drop_token_state;
  // labels
  decltype(&detail::enter_label) enter_label;
  decltype(&detail::leave_label) leave_label;
  decltype(&memprof::current_label_set) current_label_set;
  decltype(&memprof::labels_of) labels_of;
  decltype(&memprof::labels_left_out) labels_left_out;
  // delivery
  decltype(&memprof::set_delivery_through) set_delivery_through;
  decltype(&memprof::set_delivery_through_module) set_delivery_through_module;
  decltype(&memprof::set_delivery_through_function) set_delivery_through_function;
  decltype(&memprof::set_malloc_after_hit_in_module) set_malloc_after_hit_in_module;
  // the process
  decltype(&memprof::is_active) is_active;
  decltype(&memprof::process_sampling_rate) process_sampling_rate;
  decltype(&memprof::set_process_sampling_rate) set_process_sampling_rate;
  decltype(&memprof::limit_sampling_rate) limit_sampling_rate;
  decltype(&memprof::set_limit_sampling_rate) set_limit_sampling_rate;
  decltype(&memprof::set_seed) set_seed;
  decltype(&memprof::nursery) nursery;
  decltype(&memprof::set_nursery) set_nursery;
  decltype(&memprof::live_memory) live_memory;
  decltype(&memprof::live_major_memory) live_major_memory;
  decltype(&memprof::counters) counters;
  decltype(&memprof::traced_hits) traced_hits;
  decltype(&memprof::audit_sampling) audit_sampling;
  decltype(&memprof::set_callstack_method) set_callstack_method;
  decltype(&memprof::get_callstack_method) get_callstack_method;
  decltype(&memprof::counters_of_callstacks) counters_of_callstacks;
  decltype(&memprof::callstack_depth) callstack_depth;
  decltype(&memprof::set_callstack_depth) set_callstack_depth;
  // sources
  decltype(&detail::register_source) register_source;
  decltype(&detail::unregister_source) unregister_source;
  decltype(&detail::allocate_counted) allocate_counted;
  decltype(&detail::deallocate_counted) deallocate_counted;
  decltype(&detail::allocate_from) allocate_from;
  decltype(&detail::deallocate_to) deallocate_to;
  decltype(&detail::report_allocation) report_allocation;
  decltype(&detail::report_deallocation) report_deallocation;
  // profile
  decltype(&memprof::start_profile) start_profile;
  decltype(&detail::end_profile) end_profile;
  decltype(&detail::stop_profile) stop_profile;
  decltype(&detail::discard_profile) discard_profile;
  // tracer
  decltype(&memprof::start_tracing) start_tracing;
  decltype(&memprof::stop_tracing) stop_tracing;
  decltype(&memprof::currently_tracing) currently_tracing;
  decltype(&memprof::trace_if_requested) trace_if_requested;
  decltype(&memprof::counters_of_tracing) counters_of_tracing;
  // testing
  decltype(&testing::detail::sweep) sweep;
  decltype(&testing::force_interrupt) force_interrupt;
  decltype(&testing::is_pending) is_pending;
};

}  // namespace memprof::copies
