// SPDX-License-Identifier: MIT
// In place of what cmake/embed_page.py writes, if the page is not built.
#include "page_server/page.hpp"

namespace memprof::page_server {

std::span<page_part const> page_parts() noexcept { return {}; }
std::string_view single_page() noexcept { return {}; }

}  // namespace memprof::page_server
