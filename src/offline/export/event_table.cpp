// SPDX-License-Identifier: MIT
#include "export/event_table.hpp"

#include <fmt/ostream.h>
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

}  // namespace

event_table::event_table(std::ostream& out, trace::info const& info, format f, analysis::naming how)
    : out_(out), info_(info), format_(f), codes_(std::move(how)) {
  if (format_ == format::csv) {
    out_ << "time_us,domain,event,object,heap,length_words,samples,estimated_bytes,stack,thread,"
            "thread_name\r\n";
    return;
  }
  trace::info const& i = info_;
  fmt::print(out_,
             R"({{"schema_version":1,"info":{{"version":{},"sample_rate":{:.17g},"word_bits":{},)"
             R"("executable_name":{},"host_name":{},"runtime_parameters":{},"context":{},"pid":{},)"
             R"("initial_domain":{},"start_time_us":{}}},)"
             "\n\"events\":[\n",
             i.version, i.sample_rate, i.word_bits, json_string(i.executable_name),
             json_string(i.host_name), json_string(i.runtime_parameters), json_string(i.context),
             i.pid, i.initial_domain, i.start_time.time_since_epoch().count());
}

void event_table::add_csv(trace::event const& e, trace::reader const& reader) {
  fmt::print(out_, "{},{},{},{},", e.time.count(), e.domain, kind_text(e.kind), e.object);
  if (e.kind != trace::event_kind::allocation) {
    out_ << ",,,,,,\r\n";
    return;
  }
  std::string stack;
  for (const trace::location_code code : e.backtrace) {
    const auto id = codes_.find(code, reader);
    if (id == texts_.size()) texts_.push_back(functions_text(id, codes_));
    if (!stack.empty()) stack += ';';
    stack += texts_[id];
  }
  fmt::print(out_, "{},{},{},{:.17g},{},", heap_text(e.source), e.length, e.n_samples,
             info_.bytes_of(static_cast<double>(e.n_samples)), csv_field(stack));
  if (e.thread == 0) {
    out_ << ",\r\n";
  } else {
    fmt::print(out_, "{},{}\r\n", e.thread, csv_field(threads_.find(e.thread, reader).name));
  }
}

void event_table::add_json(trace::event const& e, trace::reader const& reader) {
  fmt::print(out_, R"({}{{"time_us":{},"domain":{},"event":"{}","object":{})", any_ ? ",\n" : "",
             e.time.count(), e.domain, kind_text(e.kind), e.object);
  if (e.kind == trace::event_kind::allocation) {
    fmt::print(out_, R"(,"heap":"{}","length_words":{},"samples":{},"backtrace":[)",
               heap_text(e.source), e.length, e.n_samples);
    char const* between = "";
    for (const trace::location_code code : e.backtrace) {
      fmt::print(out_, "{}\"{}\"", between, code);  // may need more than a double's 53 bits
      between = ",";
      codes_.find(code, reader);
    }
    out_ << ']';
    if (e.thread != 0) {
      fmt::print(out_, R"(,"thread":{})", e.thread);
      threads_.find(e.thread, reader);
    }
  }
  out_ << '}';
  any_ = true;
}

void event_table::add(trace::event const& e, trace::reader const& reader) {
  format_ == format::csv ? add_csv(e, reader) : add_json(e, reader);
}

void event_table::finish() {
  if (format_ == format::csv) return;
  out_ << "\n],\n\"threads\":{";
  char const* next = "";
  for (auto const& [number, t] : threads_.all()) {
    fmt::print(out_, R"({}"{}":{{"id":{},"name":{}}})", next, number, t.id, json_string(t.name));
    next = ",";
  }
  out_ << "},\n\"codes\":{";
  std::map<trace::location_code, analysis::code_table::id> ordered;
  for (analysis::code_table::id i = 0; i < codes_.size(); ++i) ordered.emplace(codes_.code(i), i);
  char const* between = "\n";
  for (auto const& [code, id] : ordered) {
    fmt::print(out_, "{}\"{}\":[", between, code);
    between = ",\n";
    char const* comma = "";
    for (analysis::frame const& f : codes_.frames(id)) {
      const auto known = [](bool is, std::uint32_t n) { return is ? std::to_string(n) : "null"; };
      const bool columns = analysis::has_columns(f.start_char, f.end_char);
      fmt::print(out_, R"({}{{"function":{},"file":{},"line":{},"start_char":{},"end_char":{}}})",
                 comma, json_string(codes_.functions().text(f.function)),
                 json_string(codes_.files().text(f.file)), known(f.line != 0, f.line),
                 known(columns, f.start_char), known(columns, f.end_char));
      comma = ",";
    }
    out_ << ']';
  }
  out_ << "\n}}\n";
}

}  // namespace memprof::exports
