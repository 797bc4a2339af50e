// SPDX-License-Identifier: MIT
/// \file
/// Where functions begin, by the unwind tables: of code without any symbol that is all one knows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "symbolize/elf_image.hpp"

namespace memprof::symbolize {

/// The search table of .eh_frame_hdr, in the form that all linkers write (signed 32-bit distances
/// from the section). What the compiler split from a function begins anew.
class unwind_functions {
 public:
  unwind_functions() = default;
  explicit unwind_functions(elf_image& image);

  /// The nearest beginning at or before the address; none if there is none.
  [[nodiscard]] std::optional<std::uint64_t> begin(std::uint64_t address) const noexcept;

 private:
  std::vector<std::uint64_t> begins_;  // ascending
};

}  // namespace memprof::symbolize
