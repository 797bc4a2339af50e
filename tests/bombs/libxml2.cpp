// SPDX-License-Identifier: MIT
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <string>

#include "bomb.hpp"

namespace {

/// A billion laughs: each entity is ten of the one before.
std::string laughs() {
  std::string text = "<!DOCTYPE l [<!ENTITY a0 '" + std::string(100, 'x') + "'>";
  for (int i = 1; i < 10; ++i) {
    text += "<!ENTITY a" + std::to_string(i) + " '";
    for (int n = 0; n < 10; ++n) text += "&a" + std::to_string(i - 1) + ";";
    text += "'>";
  }
  return text + "]><l>&a9;</l>";
}

/// As many elements as there is room for.
std::string elements() {
  std::string text = "<l>";
  for (int n = 0; n < 2'000'000; ++n) text += "<e/>";
  return text + "</l>";
}

#if LIBXML_VERSION >= 21200
using reported_error = xmlError const*;
#else
using reported_error = xmlError*;
#endif

bool out_of_memory = false;

void note(void*, reported_error error) { out_of_memory |= error->code == XML_ERR_NO_MEMORY; }

}  // namespace

int main() {
  xmlInitParser();
  xmlSetStructuredErrorFunc(nullptr, note);
  for (std::string const& text : {laughs(), elements()}) {
    xmlDoc* document = nullptr;
    out_of_memory = false;
    bombs::defuse("libxml2", [&](char* error, std::size_t size) {
      document = xmlReadMemory(text.data(), static_cast<int>(text.size()), "bomb.xml", nullptr,
                               XML_PARSE_NOENT | XML_PARSE_HUGE);
      if (out_of_memory) std::snprintf(error, size, "XML_ERR_NO_MEMORY");
    });
    xmlFreeDoc(document);  // of entities libxml2 2.9 returns what it could expand
  }
}
