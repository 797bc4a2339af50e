// SPDX-License-Identifier: MIT
#include "tools/selection_options.hpp"

#include <CLI/CLI.hpp>
#include <vector>

#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

using texts = std::vector<std::string>;

}  // namespace

/// What was given, as text; the options of ranges are made from `ranges`.
struct selection_options::given {
  struct time_range {
    char const* name;
    char const* what;
    texts between;
    std::string from, to;
  };
  time_range allocated{"allocated", "allocated", {}, {}, {}};
  time_range live{"live", "there at some time", {}, {}, {}};
  time_range collected{"collected", "collected", {}, {}, {}};
  std::string live_at, size_min, size_max, lifetime_min, lifetime_max, freed_within;
  bool live_at_peak = false, live_at_end = false, never_collected = false;
  texts threads, inside, not_inside, files, not_files, heaps, not_heaps, hide;
  std::vector<std::uint16_t> domains;

  /// As what analysis::selection_of reads.
  std::vector<analysis::named_text> as_texts() const;
};

std::vector<analysis::named_text> selection_options::given::as_texts() const {
  std::vector<analysis::named_text> result;
  const auto add = [&](std::string const& name, std::string const& value) {
    if (!value.empty()) result.push_back({name, value});
  };
  const auto add_all = [&](char const* name, texts const& values) {
    for (std::string const& v : values) result.push_back({name, v});
  };
  for (time_range const* r : {&allocated, &live, &collected}) {
    const std::string name = r->name;
    if (!r->between.empty()) {
      for (std::string const& t : r->between) {
        static_cast<void>(analysis::parse_time(name + "-between", t));  // the error names it
      }
      add(name + "-after", r->between[0]);
      add(name + "-before", r->between[1]);
    }
    add(name + "-after", r->from);
    add(name + "-before", r->to);
  }
  add("live-at", live_at);
  if (live_at_peak) add("live-at-peak", "1");
  if (live_at_end) add("live-at-end", "1");
  if (never_collected) add("never-collected", "1");
  add("size-min", size_min);
  add("size-max", size_max);
  add("lifetime-min", lifetime_min);
  add("lifetime-max", lifetime_max);
  add("freed-within", freed_within);
  add_all("thread", threads);
  add_all("function", inside);
  add_all("not-function", not_inside);
  add_all("file", files);
  add_all("not-file", not_files);
  add_all("heap", heaps);
  add_all("not-heap", not_heaps);
  add_all("hide", hide);
  for (const std::uint16_t d : domains) add("domain", std::to_string(d));
  return result;
}

selection_options::selection_options() : given_(std::make_unique<given>()) {}
selection_options::selection_options(selection_options&&) noexcept = default;
selection_options& selection_options::operator=(selection_options&&) noexcept = default;
selection_options::~selection_options() = default;

void selection_options::add(CLI::App& app) {
  given& g = *given_;
  char const* const group = "Which blocks (all must hold; times from the start: 2s, 300ms, 1min)";
  const auto option = [&](std::string const& name, auto& value, std::string const& what,
                          char const* type) {
    return app.add_option(name, value, what)->type_name(type)->group(group);
  };
  const auto flag = [&](char const* name, bool& value, char const* what) {
    app.add_flag(name, value, what)->group(group);
  };
  for (given::time_range* r : {&g.allocated, &g.live, &g.collected}) {
    const std::string name = "--" + std::string(r->name);
    const std::string what = r->what;
    option(name + "-between", r->between, what + " in this range", "FROM TO")->expected(2);
    option(name + "-after", r->from, what + " at or after it", "TIME");
    option(name + "-before", r->to, what + " at or before it", "TIME");
  }
  option("--live-at", g.live_at, "live at this time", "TIME");
  flag("--live-at-peak", g.live_at_peak, "live at the peak of what is in use");
  flag("--live-at-end", g.live_at_end,
       "live when main returned or exit was called, if that is in the trace, or when it ends");
  flag("--never-collected", g.never_collected, "not freed until the trace ends");
  option("--size-min", g.size_min, "of at least this size: 100KiB", "SIZE");
  option("--size-max", g.size_max, "of at most this size", "SIZE");
  option("--lifetime-min", g.lifetime_min, "that lived at least this long", "TIME");
  option("--lifetime-max", g.lifetime_max, "that lived at most this long", "TIME");
  option("--freed-within", g.freed_within,
         "freed before its thread had allocated more than this in other blocks (temporary)",
         "SIZE");
  const auto names = [&](char const* name, texts& value, char const* what) {
    option(name, value, what, "NAME")->allow_extra_args(false);
  };
  names("--function", g.inside,
        "allocated under a function whose name contains NAME, is =NAME, or "
        "matches /REGEX/ (repeat: under each)");
  names("--not-function", g.not_inside, "not under such a function");
  names("--file", g.files, "under code of a source file with such a name");
  names("--not-file", g.not_files, "not under code of such a file");
  const auto heaps = [&](char const* name, texts& value, char const* what) {
    option(name, value, what, "HEAP")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"minor", "major", "external"}));
  };
  heaps("--heap", g.heaps, "on these heaps: minor,major,external");
  heaps("--not-heap", g.not_heaps, "not on these heaps");
  names("--thread", g.threads, "allocated by a thread with such a name (repeat: or such a one)");
  option("--domain", g.domains, "of this domain of an OCaml program (repeat: or that)", "N")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--hide", g.hide, "Leave functions out of the stacks (amounts stay)")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->group(group);
}

analysis::selection selection_options::selection() const {
  try {
    return analysis::selection_of(given_->as_texts());
  } catch (analysis::selection_error const& e) {
    throw usage_error(std::string("--") + e.what());
  }
}

}  // namespace memprof::tools
