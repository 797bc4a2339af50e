// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <unordered_map>

#include "analysis/analysis.hpp"
#include "tools/commands.hpp"
#include "tools/json_report.hpp"
#include "tools/names.hpp"
#include "tools/output_file.hpp"
#include "tools/trace_input.hpp"

namespace memprof::tools {
namespace {

struct dump_options {
  std::string file;
  reading_options reading;
  output_options output;
  bool json = false;
};

char const* kind_name(trace::event const& e) {
  if (e.kind == trace::event_kind::promotion) return "promotion";
  if (e.kind == trace::event_kind::collection) return "collection";
  return "allocation";
}

char const* heap_name(trace::heap h) {
  return h == trace::heap::minor ? "minor" : h == trace::heap::major ? "major" : "external";
}

/// One object a line, the trace's own first.
class json_lines {
 public:
  json_lines(output_file& out, trace::reader const& reader,
             std::shared_ptr<symbolize::resolver> names)
      : out_(out), reader_(reader), names_(std::move(names)) {
    trace::info const& i = reader.info();
    nlohmann::ordered_json j = json_report("dump");
    j["trace"] = {{"version", i.version},
                  {"sample_rate", i.sample_rate},
                  {"word_bits", i.word_bits},
                  {"executable", i.executable_name},
                  {"host", i.host_name},
                  {"runtime_parameters", i.runtime_parameters},
                  {"context", i.context},
                  {"pid", i.pid},
                  {"initial_domain", i.initial_domain},
                  {"start_time_us", i.start_time.time_since_epoch().count()}};
    put(j);
  }

  void event(trace::event const& e) {
    nlohmann::ordered_json j{{"kind", kind_name(e)},
                             {"time_us", e.time.count()},
                             {"object", e.object},
                             {"domain", e.domain}};
    if (e.kind == trace::event_kind::allocation) {
      j["heap"] = heap_name(e.source);
      j["samples"] = e.n_samples;
      j["length_words"] = e.length;
      j["common_prefix"] = e.common_prefix;
      if (e.thread != 0) {
        j["thread"] = e.thread;
        name_thread(e.thread);
      }
      nlohmann::ordered_json& codes = j["backtrace"] = nlohmann::ordered_json::array();
      for (const trace::location_code code : e.backtrace) {
        codes.push_back(code);
        announce(code);
      }
    }
    put(j);
  }
  /// A limit that was hit, with the innermost part of its stack, outermost first.
  void interrupt(trace::interrupt const& i) {
    nlohmann::ordered_json j{{"kind", "interrupt"},        {"time_us", i.time.count()},
                             {"limit", to_string(i.kind)}, {"allowed", i.allowed},
                             {"measured", i.measured},     {"deferrals", i.deferrals},
                             {"thread", i.thread}};
    nlohmann::ordered_json& stack = j["stack"] = nlohmann::ordered_json::array();
    for (trace::location const& raw : i.stack) {
      std::span<trace::location const> calls(&raw, 1);
      if (names_) calls = names_->resolve(calls, reader_.info().start_time);
      for (trace::location const& l : calls) stack.push_back(json_location(l));
    }
    put(j);
  }

 private:
  /// In a line of its own, before the first event that has it, and when its name has changed.
  void name_thread(std::uint32_t number) {
    auto const& t = threads_.find(number, reader_);
    auto const [at, is_new] = thread_names_.try_emplace(number, t.name);
    if (!is_new && at->second == t.name) return;
    at->second = t.name;
    put({{"kind", "thread"}, {"thread", number}, {"id", t.id}, {"name", t.name}});
  }
  /// A code's locations stand in a line of their own, before the first event that has it.
  void announce(trace::location_code code) {
    std::uint32_t& place = known_.find(code);
    if (place != analysis::flat_index::none) return;
    place = 0;
    auto locations = reader_.locations(code);
    if (names_) locations = names_->resolve(locations, reader_.info().start_time);
    locations = whole_.complete(locations, reader_);
    nlohmann::ordered_json j{{"kind", "code"}, {"code", code}};
    nlohmann::ordered_json& all = j["locations"] = nlohmann::ordered_json::array();
    for (trace::location const& l : locations) {
      all.push_back(json_location(l));
    }
    put(j);
  }

  /// What is not known is null.
  static nlohmann::ordered_json json_location(trace::location const& l) {
    nlohmann::ordered_json j{{"function", l.defname},
                             {"file", l.filename},
                             {"line", nullptr},
                             {"start_char", nullptr},
                             {"end_char", nullptr}};
    if (l.line != 0) j["line"] = l.line;
    if (analysis::has_columns(l.start_char, l.end_char)) {
      j["start_char"] = l.start_char;
      j["end_char"] = l.end_char;
    }
    return j;
  }

  void put(nlohmann::ordered_json const& j) {
    out_.write(exports::json_text(j));
    out_.write("\n");
  }

  output_file& out_;
  trace::reader const& reader_;
  std::shared_ptr<symbolize::resolver> names_;
  symbolize::whole_names whole_;
  analysis::named_threads threads_;
  std::unordered_map<std::uint32_t, std::string> thread_names_;
  analysis::flat_index known_;
};

int run_dump(dump_options const& o) {
  trace_input input(o.file, o.reading);
  analysis::reading events = input.open();
  output_file out(o.output, {o.file});
  const auto names = make_resolver(o.reading, unnamed_code::by_address);
  trace::event e;
  // What was read before damage is shown, too.
  const auto write_all = [&](auto&& write) {
    try {
      while (events.next(e)) write();
    } catch (trace::format_error const&) {
      if (out.is_standard_output()) out.commit();
      throw;
    }
  };
  if (o.json) {
    json_lines lines(out, events.reader(), names);
    write_all([&] { lines.event(e); });
    for (trace::interrupt const& i : events.reader().interrupts()) lines.interrupt(i);
  } else {
    analysis::event_text text(events.reader(), names);
    write_all([&] { out.write(text.line(e)); });
  }
  out.commit();
  say_notices(names.get(), o.reading);
  return 0;
}

}  // namespace

command add_dump_command(CLI::App& app) {
  const auto options = std::make_shared<dump_options>();
  CLI::App* const sub = app.add_subcommand("dump", "All events of a trace, as text");
  sub->footer(
      "Examples:\n  memprof dump a.ctf | less\n  memprof dump --json -o a.jsonl a.ctf\n"
      "Lines: time in us, object, event. Damage ends the dump after the events before it.");
  add_trace_argument(*sub, options->file);
  add_output_options(*sub, options->output);
  sub->add_flag(
      "--json", options->json,
      "One JSON object for each event, code, thread and limit that was hit, and the trace");
  add_symbol_options(*sub, options->reading);
  add_reading_options(*sub, options->reading);
  return {sub, [options] { return run_dump(*options); }};
}

}  // namespace memprof::tools
