// SPDX-License-Identifier: MIT
/// \file
/// The notes of a trace, when its reader is gone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "memprof/trace/reader.hpp"

#include "symbolize/symbolize.hpp"

namespace memprof::analysis {

struct text_note {
  std::string name;
  std::string value;
};

/// Those read so far: call it at the end of the trace. Without those of modules and of names, which
/// are for symbolize::noted_modules and symbolize::whole_names.
inline std::vector<text_note> notes_of(trace::reader const& reader) {
  std::vector<text_note> all;
  for (trace::note const& n : reader.notes()) {
    if (n.name == symbolize::module_note || n.name == symbolize::name_note) continue;
    all.push_back({std::string(n.name), std::string(n.value)});
  }
  return all;
}

/// The value of the last note of this name; empty: there is none.
inline std::string note_value(std::vector<text_note> const& notes, std::string_view name) {
  for (auto n = notes.rbegin(); n != notes.rend(); ++n) {
    if (n->name == name) return n->value;
  }
  return {};
}

/// A note's value as a report writes it, in one line: amounts and times with their units, and of a
/// long series how many values it has, and the least and the most of them. What is not as its
/// recorder writes it stays as it is.
[[nodiscard]] std::string shown_value(text_note const& note);

}  // namespace memprof::analysis
