// SPDX-License-Identifier: MIT
#include "endpoints/page_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <pthread.h>
#include <utility>

#include "modules/modules.hpp"

namespace memprof::endpoints {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t longest_page = 16 << 20;
constexpr char installed_name[] = "share/memprof/viewer.html";

/// Guards the path, for a copy. A fork waits for it, so that no child has it locked for ever.
constinit std::mutex path_lock;
/// Never destroyed: requests may come until the process ends.
constinit std::string* chosen_path = nullptr;
[[maybe_unused]] int const watching_fork_for_page_file = pthread_atfork(
    [] { path_lock.lock(); }, [] { path_lock.unlock(); }, [] { path_lock.unlock(); });

/// The program or library that has this code.
fs::path own_file() {
  const auto here = reinterpret_cast<std::uintptr_t>(&own_file);
  const modules::code_places found = modules::find_code_places({here}, false);
  const std::uint32_t segment = found.places[0].segment;
  if (segment == modules::code_place::nowhere) return {};
  std::error_code none;
  fs::path const& path = found.segments[segment].path;
  const fs::path resolved = fs::canonical(path, none);
  return none ? path : resolved;
}

}  // namespace

fs::path prefix_of(fs::path const& file) {
  fs::path folder = file.parent_path();
  if (folder.parent_path().filename() == "lib") folder = folder.parent_path();  // lib/ARCHITECTURE
  for (char const* name : {"bin", "sbin", "lib", "lib64"}) {
    if (folder.filename() == name) return folder.parent_path();
  }
  return {};
}

void choose_page_file(std::string path) {
  const std::lock_guard lock(path_lock);
  if (chosen_path == nullptr) chosen_path = new std::string;
  *chosen_path = std::move(path);
}

std::vector<std::string> page_file_places() {
  {
    const std::lock_guard lock(path_lock);
    if (chosen_path != nullptr && !chosen_path->empty()) return {*chosen_path};
  }
  char const* const named = secure_getenv("MEMPROF_PAGE");
  if (named != nullptr && *named != '\0') return {named};
  std::vector<std::string> places;
  const fs::path prefix = prefix_of(own_file());
  if (!prefix.empty()) places.push_back((prefix / installed_name).string());
  places.emplace_back(MEMPROF_INSTALLED_PAGE);
  return places;
}

std::optional<std::string> read_page_file(std::vector<std::string> const& places) {
  for (std::string const& path : places) {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) continue;
    const std::uintmax_t size = fs::file_size(path, none);
    if (none || size > longest_page) continue;
    std::ifstream file(path, std::ios::binary);
    std::string text(size, '\0');
    if (file.read(text.data(), static_cast<std::streamsize>(size))) return text;
  }
  return std::nullopt;
}

}  // namespace memprof::endpoints
