// SPDX-License-Identifier: MIT
/// \file
/// The control groups that this process is in, as far as they count memory, and their files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memprof::tools {

/// Where the kernel shows them. Tests have folders of their own.
struct group_places {
  std::filesystem::path root = "/sys/fs/cgroup";
  std::filesystem::path of_process = "/proc/self/cgroup";
};

///  - `folder`: empty: there is none.
///  - `name`: its path below the root: "/system.slice/job.service".
struct memory_group {
  std::filesystem::path folder;
  std::string name;
  bool second_version = false;

  explicit operator bool() const noexcept { return !folder.empty(); }
};

/// The group that this process, and so its children, is in: of version 1 if that has the memory
/// controller, else of version 2. In a container, where the path may be the host's, the root.
[[nodiscard]] memory_group find_memory_group(group_places const& places = {});
/// The one of version 2 alone, also where it counts no memory: stalls are counted there.
[[nodiscard]] memory_group find_second_version_group(group_places const& places = {});
/// `group` and those that it lies in, innermost first, as far as they are seen here.
[[nodiscard]] std::vector<memory_group> with_outer_groups(memory_group group);

/// A whole file of at most 16 KiB; nullopt: it cannot be read, and errno says why.
[[nodiscard]] std::optional<std::string> text_of_file(std::filesystem::path const& file);
/// The number behind `name` in lines "NAME NUMBER"; without a name, that of the text itself.
/// nullopt: there is none, as in "max".
[[nodiscard]] std::optional<std::uint64_t> number_in(std::string_view text,
                                                     std::string_view name = {});
/// As number_in of a file; 0: there is none.
[[nodiscard]] std::uint64_t value_in(std::filesystem::path const& file, std::string_view name = {});

}  // namespace memprof::tools
