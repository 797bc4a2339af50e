// SPDX-License-Identifier: MIT
/// \file
/// Where debug information lies that is not in the module itself. On the network if that is asked
/// for, and for files that are not here.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "symbolize/elf_image.hpp"

namespace memprof::symbolize {

class debug_files {
 public:
  /// The directories are below `sysroot`, if there is one.
  /// \param fetch finds the file of a build elsewhere, by its whole id; empty: nothing does.
  debug_files(std::vector<std::filesystem::path> const& directories,
              std::filesystem::path const& sysroot,
              std::function<std::filesystem::path(std::string_view)> fetch = {});

  /// The file whose build id begins with these hexadecimal digits; null: none.
  [[nodiscard]] std::unique_ptr<elf_image> with_build_id(std::string_view digits) const;
  /// The separate debug file of a module: by build id, else by name and checksum.
  [[nodiscard]] std::unique_ptr<elf_image> of(elf_image& module) const;
  /// What dwz moved out of a debug file.
  [[nodiscard]] std::unique_ptr<elf_image> alternative_of(elf_image& debug) const;
  /// Where the .dwo file may be that a unit names, which was compiled in `directory`.
  [[nodiscard]] std::vector<std::filesystem::path> split_candidates(
      std::filesystem::path const& module, std::string_view directory, std::string_view name) const;

 private:
  [[nodiscard]] std::unique_ptr<elf_image> fetched(std::string_view build_id) const;

  std::vector<std::filesystem::path> directories_;
  std::filesystem::path sysroot_;
  std::function<std::filesystem::path(std::string_view)> fetch_;
};

}  // namespace memprof::symbolize
