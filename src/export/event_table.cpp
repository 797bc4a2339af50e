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

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

std::string csv_field(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace

event_table::event_table(std::ostream& out, trace::reader const& reader, format f)
    : out_(out), reader_(reader), format_(f) {
  if (format_ == format::csv) {
    out_ << "time_us,domain,event,object,heap,length_words,samples,estimated_bytes,stack\r\n";
    return;
  }
  trace::info const& i = reader.info();
  out_ << "{\"schema_version\":1,\"info\":{\"version\":" << i.version
       << ",\"sample_rate\":" << number(i.sample_rate) << ",\"word_bits\":" << i.word_bits
       << ",\"executable_name\":" << json_string(i.executable_name)
       << ",\"host_name\":" << json_string(i.host_name)
       << ",\"runtime_parameters\":" << json_string(i.runtime_parameters)
       << ",\"context\":" << json_string(i.context) << ",\"pid\":" << i.pid
       << ",\"initial_domain\":" << i.initial_domain
       << ",\"start_time_us\":" << i.start_time.time_since_epoch().count() << "},\n\"events\":[\n";
}

std::string const& event_table::frames_text(trace::location_code code) {
  const auto [place, is_new] = codes_.try_emplace(code);
  if (!is_new) return place->second;
  std::string& text = place->second;
  for (frame const& f : frames_of(code, reader_)) {
    if (format_ == format::csv) {
      if (!text.empty()) text += ';';
      for (const char c : utf8(f.function)) text += c == ';' ? ':' : c;
    }
  }
  return text;
}

void event_table::add_csv(trace::event const& e) {
  out_ << e.time.count() << ',' << e.domain << ',' << kind_text(e.kind) << ',' << e.object;
  if (e.kind != trace::event_kind::allocation) {
    out_ << ",,,,,\r\n";
    return;
  }
  std::string stack;
  for (const trace::location_code code : e.backtrace) {
    if (!stack.empty()) stack += ';';
    stack += frames_text(code);
  }
  out_ << ',' << heap_text(e.source) << ',' << e.length << ',' << e.n_samples << ','
       << number(reader_.info().bytes_of(static_cast<double>(e.n_samples))) << ','
       << csv_field(stack) << "\r\n";
}

void event_table::add_json(trace::event const& e) {
  out_ << (any_ ? ",\n" : "") << "{\"time_us\":" << e.time.count() << ",\"domain\":" << e.domain
       << ",\"event\":\"" << kind_text(e.kind) << "\",\"object\":" << e.object;
  if (e.kind == trace::event_kind::allocation) {
    out_ << ",\"heap\":\"" << heap_text(e.source) << "\",\"length_words\":" << e.length
         << ",\"samples\":" << e.n_samples << ",\"backtrace\":[";
    char const* between = "";
    for (const trace::location_code code : e.backtrace) {
      out_ << between << '"' << code << '"';  // may need more than a double's 53 bits
      between = ",";
      frames_text(code);
    }
    out_ << ']';
  }
  out_ << '}';
  any_ = true;
}

void event_table::add(trace::event const& e) {
  format_ == format::csv ? add_csv(e) : add_json(e);
}

void event_table::finish() {
  if (format_ == format::csv) return;
  out_ << "\n],\n\"codes\":{";
  std::map<trace::location_code, int> ordered;
  for (auto const& [code, text] : codes_) ordered.emplace(code, 0);
  char const* between = "\n";
  for (auto const& [code, unused] : ordered) {
    out_ << between << '"' << code << "\":[";
    between = ",\n";
    char const* comma = "";
    for (trace::location const& l : reader_.locations(code)) {
      out_ << comma << "{\"function\":" << json_string(l.defname)
           << ",\"file\":" << json_string(l.filename) << ",\"line\":" << l.line
           << ",\"start_char\":" << l.start_char << ",\"end_char\":" << l.end_char << '}';
      comma = ",";
    }
    out_ << ']';
  }
  out_ << "\n}}\n";
}

}  // namespace memprof::exports
