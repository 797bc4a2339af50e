// SPDX-License-Identifier: MIT
#include <pugixml.hpp>
#include <string>

#include "bomb.hpp"

namespace {

/// Each of these becomes a node, many times its size.
std::string elements() {
  std::string text = "<l>";
  for (int n = 0; n < 4'000'000; ++n) text += "<e/>";
  return text + "</l>";
}

}  // namespace

int main() {
  std::string const many = elements();
  pugi::xml_document document;
  bombs::defuse("pugixml, a document", [&](char* error, std::size_t size) {
    auto const result = document.load_buffer(many.data(), many.size());
    CHECK(result.status == pugi::status_out_of_memory);
    std::snprintf(error, size, "%s", result.description());
  });
  document.reset();
  bombs::defuse("pugixml, nodes that are appended", [&](char* error, std::size_t size) {
    pugi::xml_node node = document.append_child("l");
    while (node) node = document.first_child().append_child("e");
    std::snprintf(error, size, "an empty node");
  });
  CHECK(document.first_child().first_child());
}
