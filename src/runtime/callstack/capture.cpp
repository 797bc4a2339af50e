// SPDX-License-Identifier: MIT
#include "callstack/capture.hpp"

#include <algorithm>

#include "memprof/callstack.hpp"

#include "callstack/left_out.hpp"
#include "callstack/pointer_chain.hpp"
#include "callstack/procedure.hpp"
#include "callstack/processor.hpp"
#include "callstack/step_rule.hpp"
#include "callstack/walk.hpp"

namespace memprof::callstack {
namespace {

/// The caller of the function whose frame address is `from`, step by step from here: for processors
/// where the stack pointer does not follow from the frame address.
[[gnu::noinline, maybe_unused]] bool caller_of(std::uintptr_t from, frame& f) noexcept {
  constexpr int most_of_ours = 64;
  f = frame_here();
  for (int i = 0; i < most_of_ours; ++i) {
    procedure p;
    std::uintptr_t cfa = 0;
    if (!find_procedure(f.pc - 1, p) || !step(rule_at(p, f.pc - 1), f, cfa)) return false;
    if (cfa > from) return true;
  }
  return false;
}

/// What both ways have in common: `near`, and what there is beyond it. Innermost frames of our own
/// code, which are there without optimisation, do not count.
template <class Walker>
std::span<std::uintptr_t> take(Walker&& walker, std::span<std::uintptr_t> near, std::size_t most,
                               far_room far) noexcept {
  std::span<std::uintptr_t> buffer = near;
  std::span<std::uintptr_t> taken = near.first(walker.take(near));
  if (taken.size() == near.size() && most > near.size() && walker.goes_on()) {
    const std::span<std::uintptr_t> room = far.get(far.context);
    if (room.size() > near.size()) {
      std::ranges::copy(taken, room.begin());
      buffer = room.first(std::min(most, room.size()));
      taken = buffer.first(taken.size() + walker.take(buffer.subspan(taken.size())));
    }
  }
  while (const std::size_t ours = count_left_out(taken)) {
    std::ranges::copy(taken.subspan(ours), taken.begin());
    taken = taken.first(taken.size() - ours);
    if (!walker.goes_on()) break;
    taken = buffer.first(taken.size() + walker.take(buffer.subspan(taken.size())));
  }
  walker.finish();
  return without_caller_of_main(taken);
}

}  // namespace

[[gnu::noinline]] std::span<std::uintptr_t> capture(std::span<std::uintptr_t> near,
                                                    std::size_t most, void const* frame,
                                                    far_room far) noexcept {
  most = std::min(most, largest_stack);
  near = near.first(std::min(near.size(), most));
  const auto from =
      reinterpret_cast<std::uintptr_t>(frame != nullptr ? frame : __builtin_frame_address(0));
  if (!can_step || near.empty()) return {};
  const callstack_method method = get_callstack_method();
  const callstack::frame first{.pc = detail::without_signature(detail::word_at(from + 8)),
                               .sp = from + 16,
                               .fp = detail::word_at(from)};
  if (method == callstack_method::frame_pointers)
    return take(pointer_chain{first}, near, most, far);
  callstack::frame start = first;
  if constexpr (!detail::return_address_below_cfa) {
    if (!caller_of(from, start)) return take(pointer_chain{first}, near, most, far);
  }
  return take(walk{start, method == callstack_method::automatic}, near, most, far);
}

}  // namespace memprof::callstack
