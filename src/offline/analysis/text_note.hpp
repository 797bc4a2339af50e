// SPDX-License-Identifier: MIT
/// \file
/// The notes of a trace, when its reader is gone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "memprof/trace/reader.hpp"

namespace memprof::analysis {

struct text_note {
  std::string name;
  std::string value;
};

/// Those read so far: call it at the end of the trace.
inline std::vector<text_note> notes_of(trace::reader const& reader) {
  std::vector<text_note> all;
  for (trace::note const& n : reader.notes()) {
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

}  // namespace memprof::analysis
