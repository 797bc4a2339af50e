// SPDX-License-Identifier: MIT
// Library: tinyxml2
// Package: libtinyxml2-dev
// Modules: tinyxml2
#include <tinyxml2.h>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("tinyxml2::XMLDocument", "Parse, InsertEndChild, Print", [] {
    tinyxml2::XMLDocument d;
    std::string text = "<l>";
    for (int i = 0; i < 60; ++i) text += "<e a='1' b='2'>" + containers::text(i) + "</e>";
    CHECK(d.Parse((text + "</l>").c_str()) == tinyxml2::XML_SUCCESS);
    d.InsertEndChild(d.NewElement("m"));
    tinyxml2::XMLPrinter printer;
    d.Print(&printer);
  });
  return s.run();
}
