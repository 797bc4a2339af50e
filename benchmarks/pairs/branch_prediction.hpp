// SPDX-License-Identifier: MIT
/// \file
/// Does the processor predict indirect calls just now?
#pragma once

namespace pairs {

/// On processors that keep to IBRS (Intel's up to Skylake) one thread of a core that is in the
/// kernel, or in the hypervisor, can keep the other from predicting indirect branches. Each jump of
/// an interposer to the next malloc then takes 8 ns and not 0.3, and so does the program's own
/// call: a pass-through measured 1.45 of bare in such minutes, and 1.06 in others. The control does
/// not show it, as all of a round are struck alike.
///
/// returns     whether an indirect call that ends in an indirect jump, always the same two, costs
///             less than twice what a direct call does: 3.4 and 3.2 ns where this was written, else
///             18.4 and 5.
/// cost        a microsecond.
[[nodiscard]] bool indirect_calls_are_predicted();

}  // namespace pairs
