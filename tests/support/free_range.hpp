// SPDX-License-Identifier: MIT
/// \file
/// Addresses for packed slots of a test's own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/packed_slots.hpp"
#include "base/page_memory.hpp"
#include "support/catch2.hpp"
#include "support/sanitized.hpp"

namespace memprof::test {

/// A range that the program itself does not use. (QEMU has only some addresses.)
inline std::uintptr_t free_range() {
#if MEMPROF_SANITIZED  // ThreadSanitizer ends programs that map anything elsewhere
  return 0x7e90'0000'0000;
#else
  for (std::uintptr_t number : {0x19UL, 0x35UL, 0x1fUL, 0x05UL}) {
    const std::uintptr_t begin = number << base::packed_slots::range_bits;
    constexpr std::size_t page = std::size_t{64} << 10;
    if (base::map_pages_at(begin + page, page, true) != 0) continue;
    base::unmap_pages(reinterpret_cast<void*>(begin + page), page);
    return begin;
  }
  FAIL("no free range of addresses");
  return 0;
#endif
}

}  // namespace memprof::test
