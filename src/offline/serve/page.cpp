// SPDX-License-Identifier: MIT
#include "serve/page.hpp"

namespace memprof::serve {

page_part const* find_page_part(std::string_view path) noexcept {
  for (page_part const& part : page_parts()) {
    if (part.path == path) return &part;
  }
  return nullptr;
}

}  // namespace memprof::serve
