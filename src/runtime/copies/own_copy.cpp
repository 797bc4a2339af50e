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
                     .table = {}};

}  // namespace memprof::copies
