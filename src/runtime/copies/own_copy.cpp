// SPDX-License-Identifier: MIT
// This copy, and the note by which others find it. Compiled without link-time optimisation, which
// does not see what the assembler refers to.
#include <new>
#include <optional>

#include "copies/copies.hpp"

/// Part of the replacement, if that is linked.
extern "C" [[gnu::weak]] int const* const memprof_override_anchor;

#if defined(_LIBCPP_ABI_VERSION)
#define MEMPROF_CXX_LIBRARY "libc++"
#elif _GLIBCXX_USE_CXX11_ABI
#define MEMPROF_CXX_LIBRARY "libstdc++"
#else
#define MEMPROF_CXX_LIBRARY "libstdc++ with its old strings"
#endif

// An ELF note: owner "memprof", type 1, and in it the distance from there to the copy. Unlike a
// symbol it is in every module, whatever that exports, and found without the loader's scopes.
// Linkers keep notes, also with --gc-sections.
asm(R"(
  .pushsection .note.memprof, "a", %note
  .balign 4
  .long 8
  .long 4
  .long 1
  .asciz "memprof"
1:
  .long memprof_own_copy - 1b
  .popsection
)");

namespace memprof::copies {

constinit copy memprof_own_copy
    [[gnu::used]] = {.kind = {.text = MEMPROF_VERSION_STRING " (" MEMPROF_CXX_LIBRARY ")",
                              .sizes = {sizeof(copy), sizeof(limits), sizeof(detail::scope_request),
                                        sizeof(testing::interrupt_report)}},
                     .replacement = &memprof_override_anchor,
                     .table = {
                         .run = &detail::run,
                         .is_interrupted = &memprof::is_interrupted,
                         .cancellation_point = &memprof::cancellation_point,
                         .is_masked = &memprof::is_masked,
                         .mask = &detail::mask,
                         .unmask = &detail::unmask,
                         .mask_depth = &detail::mask_depth,
                         .set_mask_depth = &detail::set_mask_depth,
                         .set_deferral_observer = &memprof::set_deferral_observer,
                         .deferrals_by_reason = &memprof::deferrals_by_reason,
                         .overdue_tasks = &memprof::overdue_tasks,
                         .set_global_memory_limit = &memprof::set_global_memory_limit,
                         .global_memory_limit = &memprof::global_memory_limit,
                         .set_global_memory_victim = &memprof::set_global_memory_victim,
                         .global_memory_victim = &memprof::global_memory_victim,
                         .set_global_memory_patience = &memprof::set_global_memory_patience,
                         .global_memory_patience = &memprof::global_memory_patience,
                         .open_budget = &detail::open_budget,
                         .live_of_budget = &detail::live_of_budget,
                         .interruption_of = &detail::interruption_of,
                         .current_budget = &memprof::current_budget,
                         .allocate_uncounted = &detail::allocate_uncounted,
                         .make_token_state = &detail::make_token_state,
                         .drop_token_state = &detail::drop_token_state,
                         .enter_label = &detail::enter_label,
                         .leave_label = &detail::leave_label,
                         .current_label_set = &memprof::current_label_set,
                         .labels_of = &memprof::labels_of,
                         .labels_left_out = &memprof::labels_left_out,
                         .set_delivery_through = &memprof::set_delivery_through,
                         .set_delivery_through_module = &memprof::set_delivery_through_module,
                         .set_delivery_through_function = &memprof::set_delivery_through_function,
                         .set_malloc_after_hit_in_module = &memprof::set_malloc_after_hit_in_module,
                         .is_active = &memprof::is_active,
                         .process_sampling_rate = &memprof::process_sampling_rate,
                         .set_process_sampling_rate = &memprof::set_process_sampling_rate,
                         .limit_sampling_rate = &memprof::limit_sampling_rate,
                         .set_limit_sampling_rate = &memprof::set_limit_sampling_rate,
                         .set_seed = &memprof::set_seed,
                         .nursery = &memprof::nursery,
                         .set_nursery = &memprof::set_nursery,
                         .live_memory = &memprof::live_memory,
                         .live_major_memory = &memprof::live_major_memory,
                         .counters = &memprof::counters,
                         .traced_hits = &memprof::traced_hits,
                         .audit_sampling = &memprof::audit_sampling,
                         .set_callstack_method = &memprof::set_callstack_method,
                         .get_callstack_method = &memprof::get_callstack_method,
                         .counters_of_callstacks = &memprof::counters_of_callstacks,
                         .callstack_depth = &memprof::callstack_depth,
                         .set_callstack_depth = &memprof::set_callstack_depth,
                         .register_source = &detail::register_source,
                         .unregister_source = &detail::unregister_source,
                         .allocate_counted = &detail::allocate_counted,
                         .deallocate_counted = &detail::deallocate_counted,
                         .allocate_from = &detail::allocate_from,
                         .deallocate_to = &detail::deallocate_to,
                         .report_allocation = &detail::report_allocation,
                         .report_deallocation = &detail::report_deallocation,
                         .start_profile = &memprof::start_profile,
                         .end_profile = &detail::end_profile,
                         .stop_profile = &detail::stop_profile,
                         .discard_profile = &detail::discard_profile,
                         .start_tracing = &memprof::start_tracing,
                         .stop_tracing = &memprof::stop_tracing,
                         .currently_tracing = &memprof::currently_tracing,
                         .trace_if_requested = &memprof::trace_if_requested,
                         .counters_of_tracing = &memprof::counters_of_tracing,
                         .sweep = &testing::detail::sweep,
                         .force_interrupt = &testing::force_interrupt,
                         .is_pending = &testing::is_pending,
                     }};

}  // namespace memprof::copies
