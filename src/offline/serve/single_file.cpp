// SPDX-License-Identifier: MIT
#include "serve/single_file.hpp"

#include <sstream>
#include <stdexcept>

#include "export/export.hpp"
#include "serve/packed_index.hpp"

namespace memprof::serve {

std::string single_file_data(trace_state const& state) {
  std::ostringstream compressed;
  exports::gzip_writer writer(compressed);
  writer.write(*state.index);
  writer.finish();
  return base64(std::move(compressed).str());
}

std::string with_data(std::string_view page, std::string_view data) {
  constexpr std::string_view open = "<script id=\"memprof-data\" type=\"application/gzip\">";
  const std::size_t at = page.find(open);
  const std::size_t end = at == page.npos ? page.npos : page.find("</script>", at);
  if (end == page.npos) {
    throw std::runtime_error("the page has no element memprof-data to put the trace in");
  }
  std::string result(page.substr(0, at + open.size()));
  result += data;
  result += page.substr(end);
  return result;
}

}  // namespace memprof::serve
