// SPDX-License-Identifier: MIT
#include "page_server/page.hpp"

namespace memprof::page_server {

page_part const* find_page_part(std::string_view path) noexcept {
  for (page_part const& part : page_parts()) {
    if (part.path == path) return &part;
  }
  return nullptr;
}

}  // namespace memprof::page_server
