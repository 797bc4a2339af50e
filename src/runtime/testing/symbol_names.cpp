// SPDX-License-Identifier: MIT
#include "testing/symbol_names.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "modules/modules.hpp"

namespace memprof::inline v0::testing {
namespace {

/// Without operator new and what it is made of, if that is where the stack begins.
void drop_operator_new(std::vector<stack_frame>& frames) {
  constexpr std::size_t most = 4;  // its own functions, if nothing was inlined
  for (std::size_t i = std::min(most, frames.size()); i-- > 0;) {
    std::string const& name = frames[i].function;
    // operator new, or what it jumped to.
    if (!name.starts_with("operator new") && !name.starts_with("(anonymous namespace)::new_")) {
      continue;
    }
    frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return;
  }
}

constexpr char const* scenario_name = "(the scenario)";

/// Our templates that call the scenario, which may be inlined into them, are named as the scenario.
std::string without_ours(std::string name) {
  const bool is_ours = name.find("memprof::v0::testing::detail::") != std::string::npos;
  return is_ours ? scenario_name : std::move(name);
}

}  // namespace

stack_frame name_of(void const* return_address) {
  // The call lies before the address; it may be the last instruction of its function.
  modules::code_location location =
      modules::locate(reinterpret_cast<std::uintptr_t>(return_address) - 1);
  return {.address = return_address,
          .function = without_ours(std::move(location.function)),
          .module = std::move(location.module),
          .offset = location.offset};
}

std::vector<stack_frame> names_of(void* const* stack, std::size_t depth) {
  std::vector<stack_frame> frames;
  for (std::size_t i = 0; i < depth; ++i) {
    frames.push_back(name_of(stack[i]));
  }
  drop_operator_new(frames);
  const auto ends_twice = [&] {
    const std::size_t n = frames.size();
    return n > 1 && frames[n - 1].function == scenario_name &&
           frames[n - 2].function == scenario_name;
  };
  while (ends_twice()) frames.pop_back();
  return frames;
}

}  // namespace memprof::inline v0::testing
