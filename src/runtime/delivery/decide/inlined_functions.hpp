// SPDX-License-Identifier: MIT
/// \file
/// Where unsafe functions were inlined, which no symbol shows: from a file beside a module that
/// `scripts/check_binary.py --write-inlined` made of its debug information.
///
/// The file, "libx.so.memprof-inlined", is text; addresses are hexadecimal and as in the module's
/// file, the checksum is the CRC-32 of all lines before it:
///
///     memprof inlined functions 1
///     build id 4f7c0a...
///     function _ZN4absl12raw_hash_setI...
///     1a2b 1a40
///     checksum 89abcdef
///
/// The list of unsafe functions says which of the functions count; the file may have more.
#pragma once

#include "delivery/decide/symbol_kinds.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {

inline constexpr char inlined_suffix[] = ".memprof-inlined";

/// Reads the file beside the module `path` ("/proc/self/exe": the program) into `out`, whose ranges
/// are then all `unsafe`. Without such a file `out` is empty.
///
/// \return `read` if there is no such file, too.
///
/// A file that is damaged or of another build of the module is not used; a line on standard error
/// says so. As read_symbols, it takes no lock, allocates pages only, and keeps errno.
file_outcome read_inlined(char const* path, modules::loaded_image const& image,
                          symbol_index& out) noexcept;

}  // namespace memprof::delivery
