// SPDX-License-Identifier: MIT
#include "symbolize/memory_budget.hpp"

#include <algorithm>
#include <unistd.h>

namespace memprof::symbolize {

memory_budget memory_budget::of_this_machine() noexcept {
  constexpr std::uint64_t most = std::uint64_t{8} << 30;
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return memory_budget{most};
  return memory_budget{
      std::min(most, static_cast<std::uint64_t>(pages) / 2 * static_cast<std::uint64_t>(page))};
}

}  // namespace memprof::symbolize
