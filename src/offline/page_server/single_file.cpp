// SPDX-License-Identifier: MIT
#include "page_server/single_file.hpp"

#include <sstream>
#include <stdexcept>

#include "export/export.hpp"
#include "page_server/packed_index.hpp"
#include "pprof/pprof.hpp"

namespace memprof::page_server {
namespace {

std::string compressed(std::string_view bytes) {
  std::ostringstream out;
  pprof::gzip_writer writer(out);
  writer.write(bytes);
  writer.finish();
  return base64(std::move(out).str());
}

/// `page` with `content` in its element of that id.
std::string filled(std::string_view page, std::string_view id, std::string_view content) {
  const std::string open = "<script id=\"" + std::string(id) + "\" type=\"application/gzip\">";
  const std::size_t at = page.find(open);
  const std::size_t end = at == page.npos ? page.npos : page.find("</script>", at);
  if (end == page.npos) {
    throw std::runtime_error("the page has no element " + std::string(id) + " to put the trace in");
  }
  std::string result(page.substr(0, at + open.size()));
  result += content;
  result += page.substr(end);
  return result;
}

}  // namespace

std::string single_file_data(trace_state const& state) { return compressed(*state.index); }

std::string single_file_sources(trace_state const& state, source_files const& files) {
  const json excerpts = files.excerpts(state.sources);
  return excerpts.empty() ? std::string() : compressed(exports::json_text(excerpts));
}

std::string with_data(std::string_view page, std::string_view data, std::string_view sources) {
  return filled(filled(page, "memprof-sources", sources), "memprof-data", data);
}

}  // namespace memprof::page_server
