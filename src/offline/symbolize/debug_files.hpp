// SPDX-License-Identifier: MIT
/// \file
/// Where debug information lies that is not in the module itself. Never on the network.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "symbolize/elf_image.hpp"

namespace memprof::symbolize {

class debug_files {
 public:
  /// The directories are below `sysroot`, if there is one.
  debug_files(std::vector<std::filesystem::path> const& directories,
              std::filesystem::path const& sysroot);

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
  std::vector<std::filesystem::path> directories_;
  std::filesystem::path sysroot_;
};

}  // namespace memprof::symbolize
