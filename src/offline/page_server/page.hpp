// SPDX-License-Identifier: MIT
/// \file
/// The page, as it was built into the command. cmake/viewer.cmake embeds the files.
#pragma once

#include <span>
#include <string_view>

namespace memprof::page_server {

///  - `path`: "/", "/assets/x.js".
struct page_part {
  std::string_view path;
  std::string_view type;
  std::string_view text;
};

/// Those of the page that is served; none if the command was built without it.
[[nodiscard]] std::span<page_part const> page_parts() noexcept;
/// The page as one file, without data; empty if there is none.
[[nodiscard]] std::string_view single_page() noexcept;

[[nodiscard]] page_part const* find_page_part(std::string_view path) noexcept;

}  // namespace memprof::page_server
