// SPDX-License-Identifier: MIT
#include "export/event_table.hpp"

#include <array>
#include <cstdio>
#include <map>
#include <ostream>

#include "export/names.hpp"

namespace memprof::exports {
namespace {

char const* kind_text(trace::event_kind kind) {
  switch (kind) {
    case trace::event_kind::allocation:
      return "allocation";
    case trace::event_kind::promotion:
      return "promotion";
    case trace::event_kind::collection:
      return "collection";
  }
  return "";
}

char const* heap_text(trace::heap heap) {
  switch (heap) {
    case trace::heap::minor:
      return "minor";
    case trace::heap::major:
      return "major";
    case trace::heap::external:
      return "external";
  }
  return "";
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

}  // namespace

event_table::event_table(std::ostream& out, trace::info const& info, format f, analysis::naming how)
    : out_(out), info_(info), format_(f), codes_(std::move(how)) {
  if (format_ == format::csv) {
    out_ << "time_us,domain,event,object,heap,length_words,samples,estimated_bytes,stack\r\n";
    return;
  }
  trace::info const& i = info_;
  out_ << "{\"schema_version\":1,\"info\":{\"version\":" << i.version
       << ",\"sample_rate\":" << number_text(i.sample_rate) << ",\"word_bits\":" << i.word_bits
       << ",\"executable_name\":" << json_string(i.executable_name)
       << ",\"host_name\":" << json_string(i.host_name)
       << ",\"runtime_parameters\":" << json_string(i.runtime_parameters)
       << ",\"context\":" << json_string(i.context) << ",\"pid\":" << i.pid
       << ",\"initial_domain\":" << i.initial_domain
       << ",\"start_time_us\":" << i.start_time.time_since_epoch().count() << "},\n\"events\":[\n";
}

void event_table::add_csv(trace::event const& e, trace::reader const& reader) {
  out_ << e.time.count() << ',' << e.domain << ',' << kind_text(e.kind) << ',' << e.object;
  if (e.kind != trace::event_kind::allocation) {
    out_ << ",,,,,\r\n";
    return;
  }
  std::string stack;
  for (const trace::location_code code : e.backtrace) {
    const auto id = codes_.find(code, reader);
    if (id == texts_.size()) texts_.push_back(functions_text(id, codes_));
    if (!stack.empty()) stack += ';';
    stack += texts_[id];
  }
  out_ << ',' << heap_text(e.source) << ',' << e.length << ',' << e.n_samples << ','
       << number_text(info_.bytes_of(static_cast<double>(e.n_samples))) << ',' << csv_field(stack)
       << "\r\n";
}

void event_table::add_json(trace::event const& e, trace::reader const& reader) {
  out_ << (any_ ? ",\n" : "") << "{\"time_us\":" << e.time.count() << ",\"domain\":" << e.domain
       << ",\"event\":\"" << kind_text(e.kind) << "\",\"object\":" << e.object;
  if (e.kind == trace::event_kind::allocation) {
    out_ << ",\"heap\":\"" << heap_text(e.source) << "\",\"length_words\":" << e.length
         << ",\"samples\":" << e.n_samples << ",\"backtrace\":[";
    char const* between = "";
    for (const trace::location_code code : e.backtrace) {
      out_ << between << '"' << code << '"';  // may need more than a double's 53 bits
      between = ",";
      codes_.find(code, reader);
    }
    out_ << ']';
  }
  out_ << '}';
  any_ = true;
}

void event_table::add(trace::event const& e, trace::reader const& reader) {
  format_ == format::csv ? add_csv(e, reader) : add_json(e, reader);
}

void event_table::finish() {
  if (format_ == format::csv) return;
  out_ << "\n],\n\"codes\":{";
  std::map<trace::location_code, analysis::code_table::id> ordered;
  for (analysis::code_table::id i = 0; i < codes_.size(); ++i) ordered.emplace(codes_.code(i), i);
  char const* between = "\n";
  for (auto const& [code, id] : ordered) {
    out_ << between << '"' << code << "\":[";
    between = ",\n";
    char const* comma = "";
    for (analysis::frame const& f : codes_.frames(id)) {
      out_ << comma << "{\"function\":" << json_string(codes_.functions().text(f.function))
           << ",\"file\":" << json_string(codes_.files().text(f.file)) << ",\"line\":" << f.line
           << ",\"start_char\":" << f.start_char << ",\"end_char\":" << f.end_char << '}';
      comma = ",";
    }
    out_ << ']';
  }
  out_ << "\n}}\n";
}

}  // namespace memprof::exports
