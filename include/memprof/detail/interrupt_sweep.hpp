// SPDX-License-Identifier: MIT
/// \file
/// The other half of testing.hpp: scenario and check with their types erased.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "memprof/detail/export.hpp"
#include "memprof/interrupt_report.hpp"

namespace memprof::inline v0::testing::detail {

/// What is tested. Each function gets `object`; `prepare` and `finish` may be null.
struct subject {
  void* object;
  void (*prepare)(void* object);  ///< before each run, uninterrupted
  void (*scenario)(void* object);
  bool (*check)(void* object, interruption const& run);
  void (*finish)(void* object);  ///< after each check, or after a run that failed
};

/// \param replay 0: all points; n + 1: point n only.
MEMPROF_API interrupt_report sweep(subject const& s, interrupt_options const& options,
                                   std::uint64_t replay);

template <class Check, class... State>
bool ask(Check& check, interruption const& run, State&... state) {
  const auto call = [&]() -> decltype(auto) {
    if constexpr (std::is_invocable_v<Check&, State&..., interruption const&>) {
      return std::invoke(check, state..., run);
    } else {
      return std::invoke(check, state...);
    }
  };
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return true;
  } else {
    return static_cast<bool>(call());
  }
}

template <class Scenario, class Check>
struct stateless {
  Scenario& scenario;
  Check& check;
  [[nodiscard]] subject erased() noexcept {
    return {.object = this,
            .prepare = nullptr,
            .scenario = [](void* o) { static_cast<stateless*>(o)->scenario(); },
            .check =
                [](void* o, interruption const& run) {
                  return ask(static_cast<stateless*>(o)->check, run);
                },
            .finish = nullptr};
  }
};

template <class Make, class Scenario, class Check>
struct with_state {
  using state_type = std::invoke_result_t<Make&>;
  Make& make;
  Scenario& scenario;
  Check& check;
  std::unique_ptr<state_type> state = nullptr;
  [[nodiscard]] subject erased() noexcept {
    return {.object = this,
            .prepare =
                [](void* o) {
                  auto& self = *static_cast<with_state*>(o);
                  self.state.reset(new state_type(self.make()));  // may be immovable
                },
            .scenario =
                [](void* o) {
                  auto& self = *static_cast<with_state*>(o);
                  std::invoke(self.scenario, *self.state);
                },
            .check =
                [](void* o, interruption const& run) {
                  auto& self = *static_cast<with_state*>(o);
                  return ask(self.check, run, *self.state);
                },
            .finish = [](void* o) { static_cast<with_state*>(o)->state.reset(); }};
  }
};

}  // namespace memprof::inline v0::testing::detail
