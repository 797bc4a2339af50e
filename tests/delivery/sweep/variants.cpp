// SPDX-License-Identifier: MIT
#include <string>
#include <variant>
#include <vector>

#include "support/require.hpp"
#include "support/situation.hpp"

namespace {

using memprof::test::require;

using value = std::variant<int, std::string, std::vector<std::string>>;

MEMPROF_SITUATION(variants, either) {
  value v = std::string(50, 'x');
  v.emplace<2>();
  std::get<2>(v).emplace_back(60, 'y');
  v = std::string(70, 'z');
  auto const size = std::visit(
      [](auto const& held) -> std::size_t {
        if constexpr (requires { held.size(); }) return held.size();
        return 0;
      },
      v);
  require(size == 70, "variants");
}

#ifdef __clang__
constexpr char const* defect = "clang with libstdc++ 12: the copy of a variant is freed twice";
#else
constexpr char const* defect = nullptr;
#endif

// Copying a variant whose vector's copy throws.
MEMPROF_SITUATION_BECAUSE(variant_copies, either, defect) {
  value const v = std::vector<std::string>(4, std::string(50, 'x'));
  value const copy = v;
  std::vector<value> const list(3, copy);
  require(list.size() == 3 && std::get<2>(list[2]).size() == 4, "variant copies");
}

}  // namespace
