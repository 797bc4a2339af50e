// SPDX-License-Identifier: MIT
#include <expat.h>
#include <string>

#include "bomb.hpp"

int main() {
  XML_Parser const parser = XML_ParserCreate(nullptr);
  CHECK(parser != nullptr);
  XML_Status status = XML_STATUS_OK;
  std::string const start = "<element a='";
  std::string const text(1 << 20, 'x');
  bombs::defuse("expat", [&](char* error, std::size_t size) {
    status = XML_Parse(parser, start.data(), static_cast<int>(start.size()), XML_FALSE);
    // One attribute without an end, which is kept whole.
    for (int n = 0; n < 1000 && status == XML_STATUS_OK; ++n) {
      status = XML_Parse(parser, text.data(), static_cast<int>(text.size()), XML_FALSE);
    }
    std::snprintf(error, size, "%s", XML_ErrorString(XML_GetErrorCode(parser)));
  });
  CHECK(status == XML_STATUS_ERROR);
  CHECK(XML_GetErrorCode(parser) == XML_ERROR_NO_MEMORY);
  XML_ParserFree(parser);
}
