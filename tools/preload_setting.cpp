// SPDX-License-Identifier: MIT
#include "tools/preload_setting.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace memprof::tools {
namespace {

namespace fs = std::filesystem;

fs::path preload_library() {
  if (char const* const named = std::getenv("MEMPROF_PRELOAD");
      named != nullptr && *named != '\0') {
    if (!fs::exists(named))
      throw std::runtime_error(fmt::format("MEMPROF_PRELOAD: no such file: {}", named));
    return fs::absolute(named);
  }
  const fs::path above = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  std::vector<fs::path> folders{above, above / "lib", above / "lib64"};
  std::error_code none;
  for (auto const& entry : fs::directory_iterator(above / "lib", none)) {
    if (entry.is_directory(none)) folders.push_back(entry.path());
  }
  for (auto const& folder : folders) {
    if (fs::exists(folder / preload_library_name)) return folder / preload_library_name;
  }
  throw std::runtime_error(
      fmt::format("{} is not in {} nor in its lib folders; MEMPROF_PRELOAD=FILE says where it is",
                  preload_library_name, above.string()));
}

}  // namespace

std::string preload_setting() {
  std::string list = preload_library().string();
  if (list.find_first_of(" :") != std::string::npos) {
    throw std::runtime_error("the loader takes no library with a blank or a colon in its path: " +
                             list);
  }
  if (char const* const before = std::getenv("LD_PRELOAD"); before != nullptr && *before != '\0') {
    list += fmt::format(":{}", before);
  }
  return list;
}

}  // namespace memprof::tools
