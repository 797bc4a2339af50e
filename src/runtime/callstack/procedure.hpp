// SPDX-License-Identifier: MIT
/// \file
/// The unwind tables (.eh_frame) of one procedure: an FDE with its CIE.
#pragma once

#include <cstdint>

#include "memprof/detail/export.hpp"

#include "modules/modules.hpp"

namespace memprof::callstack {

/// A procedure is what one FDE covers: a function, or its cold part.
///
/// The pointers lead into the module's tables, which stay as long as the module is loaded.
struct procedure {
  std::uintptr_t begin = 0;  ///< code [begin, end)
  std::uintptr_t end = 0;
  std::uintptr_t personality = 0;           ///< address of the personality routine; 0 if none
  unsigned char const* lsda = nullptr;      ///< language-specific data: the exception table
  unsigned char const* lsda_end = nullptr;  ///< no byte of it lies beyond
  bool signal_frame = false;                ///< CIE augmentation 'S'
  bool has_return_address_rule = true;      ///< see stepper
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  std::uint64_t return_register = 0;
  unsigned char const* initial_begin = nullptr;  ///< the CIE's instructions
  unsigned char const* initial_end = nullptr;
  unsigned char const* rules_begin = nullptr;  ///< the FDE's instructions
  unsigned char const* rules_end = nullptr;
  unsigned char pointer_encoding = 0;  ///< of addresses in the instructions
};

/// Finds the procedure that covers `pc` and fills `found`. For a return address pass pc - 1.
/// Tables that are damaged, or lead out of their module, are not understood.
///
/// \return false if there is none or its tables are not understood.
/// \note Threads: any; takes no lock, allocates nothing (glibc's _dl_find_object). Only in a fully
///   static executable without .eh_frame_hdr it calls libgcc, which locks and, the first time,
///   allocates; link such a program with -Wl,--eh-frame-hdr.
MEMPROF_INTERNAL_API bool find_procedure(std::uintptr_t pc, procedure& found) noexcept;

/// Parses the FDE at `fde`; reads nothing outside of `table`, which also has its CIE. False if it
/// is not understood.
bool parse_procedure(std::uintptr_t fde, modules::address_range table, procedure& found) noexcept;

/// Calls `visit(context, personality)` for the personality of each CIE (0 if it has none) of an
/// .eh_frame section, which ends at its terminator or with `section`. Stops when it returns false,
/// or at something not understood.
void for_each_personality(modules::address_range section,
                          bool (*visit)(void* context, std::uintptr_t personality) noexcept,
                          void* context) noexcept;

/// The .eh_frame section that the .eh_frame_hdr at `header` belongs to, and what is readable behind
/// it; empty if not understood.
modules::address_range eh_frame_of(unsigned char const* header) noexcept;

}  // namespace memprof::callstack
