// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace pairs {
namespace {

template <class... Arguments>
[[gnu::format(printf, 1, 0)]] std::string format(char const* how, Arguments... arguments) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, how, arguments...);
  return {text, static_cast<std::size_t>(length)};
}

/// Where there are enough samples for their cost to be told from the pairs' noise.
bool shows_samples(result const& r) {
  const std::string_view name = r.what->name;
  return name == "512" || name == "4k";
}

void derive_sample_costs(result const& r, std::vector<derived>& found) {
  series const* const off = r.find("off");
  if (off == nullptr || !shows_samples(r)) return;
  for (series const& on : r.variants) {
    // At 1e-5 there are too few.
    if (on.samples_per_pair == 0 || on.what->how.rate < 1e-4) continue;
    series const* const own_off = on.what->other ? r.find("off-other") : off;
    if (own_off == nullptr) continue;
    quartiles cost = difference(on.nanoseconds, own_off->nanoseconds);
    for (double* q : {&cost.lower, &cost.median, &cost.upper}) *q /= on.samples_per_pair;
    const std::string of = "a sample, " + std::string(on.what->title);
    found.push_back({of + ": ns", r.what, cost});
    const double unwind = quartiles_of(r.unwinds).median;
    for (double* q : {&cost.lower, &cost.median, &cost.upper}) *q /= unwind;
    found.push_back({of + " / _Unwind_Backtrace", r.what, cost});
  }
}

/// Each variant over its twin of the other build.
void derive_progress(result const& r, std::vector<derived>& found) {
  for (series const& s : r.variants) {
    series const* const other = r.find((std::string(s.what->name) + "-other").c_str());
    if (other == nullptr) continue;
    found.push_back({std::string(s.what->title) + " / other build", r.what,
                     ratio(s.nanoseconds, other->nanoseconds)});
  }
}

void derive_ratio(result const& r, char const* numerator, char const* denominator,
                  std::vector<derived>& found) {
  series const* const n = r.find(numerator);
  series const* const d = r.find(denominator);
  if (n == nullptr || d == nullptr) return;
  found.push_back({std::string(n->what->title) + " / " + d->what->title, r.what,
                   ratio(n->nanoseconds, d->nanoseconds)});
}

}  // namespace

std::vector<derived> derive(report const& all) {
  std::vector<derived> found;
  for (result const& r : all.results) {
    derive_ratio(r, "off", "pass", found);
    derive_ratio(r, "on-1e-5", "off", found);
    derive_ratio(r, "on-live-100k", "on-live-100", found);
    derive_sample_costs(r, found);
    derive_progress(r, found);
  }
  return found;
}

bool control_holds(result const& r) {
  const double median = ratio(r.variants[1].nanoseconds, r.variants[0].nanoseconds).median;
  return std::abs(median - 1) <= control_tolerance;
}

std::string to_markdown(report const& all) {
  std::string text = format(
      "Frames %s frame pointers; stacks of %llu frames; %d rounds of %d turns, shared among %d "
      "processes; indirect calls "
      "predicted around %.0f %% of the turns%s.\n\n"
      "| pairs of | variant | / bare | quartiles | ns | added ns | samples in 1000 | A/A within 1 "
      "%% "
      "|\n|---|---|---|---|---|---|---|---|\n",
      all.how.frame_pointers ? "with" : "without",
      static_cast<unsigned long long>(all.deepest_stack), all.how.rounds, all.how.turns,
      all.how.processes, all.predicted * 100,
      all.how.predicted_only ? ", the others were not counted" : "");
  for (result const& r : all.results) {
    auto const& bare = r.variants[0].nanoseconds;
    for (series const& s : r.variants) {
      const quartiles q = ratio(s.nanoseconds, bare);
      text += format("| %s | %s | %.3f | %.3f to %.3f | %.2f | %+.2f | %.3f | %s |\n",
                     r.what->title, s.what->title, q.median, q.lower, q.upper,
                     quartiles_of(s.nanoseconds).median, difference(s.nanoseconds, bare).median,
                     s.samples_per_pair * 1000, control_holds(r) ? "yes" : "no");
    }
  }
  const std::vector<derived> more = derive(all);
  if (!more.empty()) text += "\n| pairs of | | median | quartiles |\n|---|---|---|---|\n";
  for (derived const& d : more) {
    text += format("| %s | %s | %.3f | %.3f to %.3f |\n", d.of->title, d.what.c_str(),
                   d.value.median, d.value.lower, d.value.upper);
  }
  text +=
      "\n| pairs of | one _Unwind_Backtrace of the same stack: ns | quartiles |\n|---|---|---|\n";
  for (result const& r : all.results) {
    const quartiles q = quartiles_of(r.unwinds);
    text += format("| %s | %.0f | %.0f to %.0f |\n", r.what->title, q.median, q.lower, q.upper);
  }
  return text;
}

std::string to_json(report const& all) {
  // Names and titles are ours, and need no escapes.
  std::string text = format(
      "{\n  \"rounds\": %d, \"turns\": %d, \"processes\": %d, \"frame_pointers\": %s, "
      "\"stack_frames\": %llu, "
      "\"predicted_turns\": %.4g, \"predicted_only\": %s,\n"
      "  \"rows\": [",
      all.how.rounds, all.how.turns, all.how.processes, all.how.frame_pointers ? "true" : "false",
      static_cast<unsigned long long>(all.deepest_stack), all.predicted,
      all.how.predicted_only ? "true" : "false");
  char const* separator = "\n";
  for (result const& r : all.results) {
    for (series const& s : r.variants) {
      const quartiles q = ratio(s.nanoseconds, r.variants[0].nanoseconds);
      text += separator;
      text += format(
          "    {\"workload\": \"%s\", \"variant\": \"%s\", \"ratio\": %.6g, \"q1\": %.6g, "
          "\"q3\": %.6g, \"ns\": %.6g, \"added_ns\": %.6g, \"samples_per_pair\": %.6g, "
          "\"control_holds\": %s}",
          r.what->name, s.what->name, q.median, q.lower, q.upper,
          quartiles_of(s.nanoseconds).median,
          difference(s.nanoseconds, r.variants[0].nanoseconds).median, s.samples_per_pair,
          control_holds(r) ? "true" : "false");
      separator = ",\n";
    }
  }
  text += "\n  ],\n  \"derived\": [";
  separator = "\n";
  for (derived const& d : derive(all)) {
    text += separator;
    text += format(
        "    {\"workload\": \"%s\", \"what\": \"%s\", \"median\": %.6g, \"q1\": %.6g, \"q3\": "
        "%.6g}",
        d.of->name, d.what.c_str(), d.value.median, d.value.lower, d.value.upper);
    separator = ",\n";
  }
  return text + "\n  ]\n}\n";
}

void write_file(std::string const& name, std::string const& text) {
  const std::string part = name + ".part";
  {
    std::ofstream out(part, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::runtime_error("cannot write " + part);
  }
  if (std::rename(part.c_str(), name.c_str()) != 0) {
    std::remove(part.c_str());
    throw std::runtime_error("cannot write " + name);
  }
}

}  // namespace pairs
