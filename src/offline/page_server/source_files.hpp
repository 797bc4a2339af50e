// SPDX-License-Identifier: MIT
/// \file
/// The source files that the frames of a trace name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "page_server/trace_json.hpp"

namespace memprof::page_server {

/// The lines of each file in which a block of the trace was allocated, or a call on the way there.
using source_lines = std::map<std::string, std::set<std::uint32_t>, std::less<>>;

///  - `enabled`: whether any file is read.
///  - `substitutions`: beginnings of paths, and what is read in their place: the first that fits.
struct source_options {
  bool enabled = true;
  std::vector<std::pair<std::string, std::string>> substitutions;
};

/// Reads source files. A trace may come from anywhere and name any file, so one is read only if it
/// has the name of a source: the extension of a programming language, or none and lies in a folder
/// `include`. It must be a regular file of at most 4 MiB of text.
class source_files {
 public:
  explicit source_files(source_options options) : options_(std::move(options)) {}

  /// The lines of the file that debug information calls `name`.
  ///
  /// \param why if nothing is returned: the reason, without the system's.
  /// \throws std::bad_alloc without memory.
  [[nodiscard]] std::optional<std::vector<std::string>> read(std::string_view name,
                                                             std::string& why) const;
  /// For a page without server: of each file the lines around those of `lines`,
  /// {"NAME": [[first, [text, ...]], ...]}, at most some 2 MiB of text; the rest is left out.
  [[nodiscard]] json excerpts(source_lines const& lines) const;

 private:
  [[nodiscard]] std::string path_of(std::string_view name) const;
  source_options options_;
};

/// "FROM=TO", as on the command line.
/// \throws std::invalid_argument for another text.
[[nodiscard]] std::pair<std::string, std::string> parse_substitution(std::string_view text);

}  // namespace memprof::page_server
