// SPDX-License-Identifier: MIT
/// \file
/// Code in words where nothing may be allocated: in malloc, and in the handler of a fault.
#pragma once

#include <cstdint>
#include <span>

#include "memprof/detail/export.hpp"

namespace memprof::modules {

/// Writes what is at `address` (for a return address: minus one): "FUNCTION+0x1f (MODULE+0x11b3)",
/// the function as the linker knows it, if the module's file names it; the address alone where no
/// module is. addr2line(1) wants the module and the number behind it.
///
/// \param text cut to its size; at least one byte.
/// \note Threads: any; signal-safe. Takes no lock and allocates only pages. Changes errno.
/// \note Cost: reads the symbol table of the module's file: 0.1 us for each symbol.
MEMPROF_INTERNAL_API void describe_raw(std::uintptr_t address, std::span<char> text) noexcept;

}  // namespace memprof::modules
