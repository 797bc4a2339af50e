// SPDX-License-Identifier: MIT
// Library: pugixml
// Package: libpugixml-dev
// Modules: pugixml
#include <pugixml.hpp>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("pugi::xml_document", "load, select_nodes, append", [] {
    pugi::xml_document d;
    CHECK(d.load_string("<l><e a='1'>text</e><e a='2'/><f>more</f></l>"));
    CHECK(d.select_nodes("//e[@a > 0]").size() == 2);
    d.first_child().append_child("g").text().set(containers::text(1).c_str());
  });
  return s.run();
}
