// SPDX-License-Identifier: MIT
/// \file
/// Split DWARF (-gsplit-dwarf): the parts of a module's units in .dwo files, or in one package of
/// them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbolize/debug_files.hpp"
#include "symbolize/dwarf_file.hpp"
#include "symbolize/memory_budget.hpp"

namespace memprof::symbolize {

/// Reads .dwo files as units need them, and a package (.dwp) once. libdw 0.188 reads no
/// packages, and its walk over the entries of a unit is too slow (benchmarks/symbolize/libdw.cpp).
class split_units {
 public:
  /// `module`: where it lies; a package is beside it.
  /// \param memory of all modules; outlives this, as `files` does.
  split_units(std::filesystem::path module, debug_files const& files, memory_budget& memory)
      : module_{std::move(module)}, files_{&files}, memory_{&memory} {}

  struct unit {
    dwarf_file* file = nullptr;
    dwarf_unit* unit = nullptr;
  };
  /// The other half of the skeleton; null: not found, or of another build.
  unit of(dwarf_file& skeletons, dwarf_unit const& skeleton);

  /// The first that was not found; empty: none.
  [[nodiscard]] std::string const& missing() const noexcept { return missing_; }
  [[nodiscard]] bool nonsense() const noexcept;

 private:
  struct part {
    std::unique_ptr<elf_image> image;  // its own, or null: of the package
    std::unique_ptr<work_budget> budget;
    std::unique_ptr<dwarf_file> file;
  };
  static unit open(dwarf_file::section_views const& sections, dwarf_file& skeletons,
                   dwarf_unit const& skeleton, part& to);

  std::filesystem::path module_;
  debug_files const* files_;
  memory_budget* memory_;
  bool looked_for_package_ = false;
  std::unique_ptr<elf_image> package_;
  std::vector<part> parts_;
  std::string missing_;
};

}  // namespace memprof::symbolize
