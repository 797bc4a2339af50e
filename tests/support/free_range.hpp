// SPDX-License-Identifier: MIT
/// \file
/// Addresses for slots of a test's own, and what is mapped there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>

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

/// Whether anything is mapped where the page of an address is.
inline bool is_mapped(void const* address) {
  const std::size_t in_page = reinterpret_cast<std::uintptr_t>(address) % base::whole_pages(1);
  char* const page = static_cast<char*>(const_cast<void*>(address)) - in_page;
  unsigned char resident = 0;
  return mincore(page, 1, &resident) == 0;
}

}  // namespace memprof::test
