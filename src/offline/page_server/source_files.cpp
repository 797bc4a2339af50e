// SPDX-License-Identifier: MIT
#include "page_server/source_files.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

#include "text/text.hpp"

namespace memprof::page_server {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t most_bytes = std::size_t{4} << 20;
constexpr std::size_t most_in_page = std::size_t{2} << 20;
/// Lines that a page without server shows before and after one of interest.
constexpr std::uint32_t around = 12;

constexpr std::array extensions{
    ".c"sv,   ".cc"sv,  ".cpp"sv, ".cxx"sv, ".c++"sv, ".C"sv,   ".h"sv,   ".hh"sv,  ".hpp"sv,
    ".hxx"sv, ".h++"sv, ".H"sv,   ".ipp"sv, ".inl"sv, ".tcc"sv, ".tpp"sv, ".ixx"sv, ".cppm"sv,
    ".inc"sv, ".def"sv, ".cu"sv,  ".cuh"sv, ".m"sv,   ".mm"sv,  ".s"sv,   ".S"sv,   ".asm"sv,
    ".rs"sv,  ".go"sv,  ".ml"sv,  ".mli"sv, ".d"sv,   ".f"sv,   ".f90"sv, ".F90"sv, ".zig"sv,
    ".nim"sv, ".ada"sv, ".adb"sv, ".ads"sv, ".hs"sv,  ".y"sv,   ".l"sv,   ".re"sv,  ".swift"sv};

bool has_name_of_source(std::filesystem::path const& path) {
  const std::string extension = path.extension();
  if (extension.empty()) {  // <vector>
    return std::any_of(path.begin(), path.end(), [](auto const& p) { return p == "include"; });
  }
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

class open_file {
 public:
  /// Not blocked by a pipe, and whatever the last link points to must have the name of a source.
  explicit open_file(std::string const& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~open_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;

  [[nodiscard]] bool is_readable_text() const {
    struct stat s {};
    return descriptor_ >= 0 && ::fstat(descriptor_, &s) == 0 && S_ISREG(s.st_mode) &&
           static_cast<std::uint64_t>(s.st_size) <= most_bytes;
  }
  [[nodiscard]] std::optional<std::string> text() const {
    std::string all;
    std::array<char, 1 << 16> buffer;
    for (;;) {
      const ssize_t n = ::read(descriptor_, buffer.data(), buffer.size());
      if (n < 0) return std::nullopt;
      if (n == 0) break;
      all.append(buffer.data(), static_cast<std::size_t>(n));
      if (all.size() > most_bytes) return std::nullopt;
    }
    if (all.find('\0') != all.npos) return std::nullopt;
    return all;
  }

 private:
  int descriptor_;
};

/// Printable but for its tabs: what a compiler reads may look like other code.
std::string with_tabs(std::string_view line) {
  std::string shown;
  while (true) {
    const std::size_t tab = line.find('\t');
    shown += text::printable(line.substr(0, tab));
    if (tab == line.npos) return shown;
    shown += '\t';
    line.remove_prefix(tab + 1);
  }
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const bool dos = end > at && text[end - 1] == '\r';
    lines.push_back(with_tabs(text.substr(at, end - at - (dos ? 1 : 0))));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string source_files::path_of(std::string_view name) const {
  for (auto const& [from, to] : options_.substitutions) {
    if (name.starts_with(from)) return to + std::string(name.substr(from.size()));
  }
  return std::string(name);
}

std::optional<std::vector<std::string>> source_files::read(std::string_view name,
                                                           std::string& why) const {
  if (!options_.enabled) {
    why = "sources are not shown here";
    return std::nullopt;
  }
  std::error_code none;
  const std::filesystem::path path = path_of(name);
  // A link may lead to anything: its target must have the name of a source, too.
  const std::filesystem::path target = std::filesystem::canonical(path, none);
  if (none || !path.is_absolute()) {
    why = "there is no such file on this machine; --substitute-path FROM=TO says where it is";
    return std::nullopt;
  }
  if (!has_name_of_source(path) || !has_name_of_source(target)) {
    why = "it does not have the name of a source file";
    return std::nullopt;
  }
  const open_file file(target);
  auto text = file.is_readable_text() ? file.text() : std::nullopt;
  if (!text) {
    why = "it cannot be read, or is no text of at most 4 MiB";
    return std::nullopt;
  }
  return lines_of(*text);
}

json source_files::excerpts(source_lines const& lines) const {
  json files = json::object();
  std::size_t size = 0;
  std::string why;
  for (auto const& [name, wanted] : lines) {
    auto const text = read(name, why);
    if (!text) continue;
    json parts = json::array();
    std::uint32_t next = 1;  // the first line that is not in the page yet
    for (const std::uint32_t line : wanted) {
      const std::uint32_t from = line > around ? line - around : 1;
      const std::uint32_t to =
          static_cast<std::uint32_t>(std::min<std::size_t>(text->size(), line + around));
      if (from > next || parts.empty()) {
        next = std::max(from, next);
        parts.push_back(json::array({next, json::array()}));
      }
      for (; next <= to; ++next) {
        std::string const& l = (*text)[next - 1];
        size += l.size();
        parts.back()[1].push_back(l);
      }
    }
    if (size > most_in_page) break;
    files[name] = std::move(parts);
  }
  return files;
}

std::pair<std::string, std::string> parse_substitution(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == text.npos || sign == 0) {
    throw std::invalid_argument("'" + std::string(text) + "' is not FROM=TO");
  }
  return {std::string(text.substr(0, sign)), std::string(text.substr(sign + 1))};
}

}  // namespace memprof::page_server
