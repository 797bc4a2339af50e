// SPDX-License-Identifier: MIT
#include "symbolize/whole_names.hpp"

#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace memprof::symbolize {
namespace {

/// Of a note with the name and the numbers before it.
constexpr std::size_t longest_piece = 2500;

/// Takes a number and the blank behind it off the front.
std::optional<std::size_t> next_number(std::string_view& text) {
  std::size_t n = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const auto read = static_cast<std::size_t>(stop - text.data());
  if (error != std::errc{} || read == text.size() || *stop != ' ') return std::nullopt;
  text.remove_prefix(read + 1);
  return n;
}

}  // namespace

void note_name(trace::writer& to, std::string_view cut, std::string_view whole) {
  if (whole.size() > longest_noted_name) return;
  for (std::size_t from = 0; from < whole.size(); from += longest_piece) {
    const std::string text =
        fmt::format("{} {} {}\n{}", from, whole.size(), cut, whole.substr(from, longest_piece));
    to.put(trace::note{name_note, text});
  }
}

void whole_names::read(std::string_view note) {
  const auto from = next_number(note), size = next_number(note);
  const std::size_t end = note.find('\n');
  if (!from || !size || *size > longest_noted_name || end == std::string_view::npos) return;
  name& n = names_[std::string(note.substr(0, end))];
  if (*from == 0 && n.text.empty()) n.size = *size;
  // One that comes again, or after a piece that is lost, is not appended.
  if (*size == n.size && *from == n.text.size()) n.text += note.substr(end + 1);
}

std::span<trace::location const> whole_names::complete(std::span<trace::location const> cut,
                                                       trace::legend legend) {
  for (const auto notes = legend.notes(); notes_read_ < notes.size(); ++notes_read_) {
    if (notes[notes_read_].name == name_note) read(notes[notes_read_].value);
  }
  if (names_.empty()) return cut;
  bool any = false;
  completed_.assign(cut.begin(), cut.end());
  for (trace::location& l : completed_) {
    const auto known = names_.find(l.defname);
    if (known == names_.end() || known->second.text.size() != known->second.size) continue;
    l.defname = known->second.text;
    any = true;
  }
  return any ? std::span<trace::location const>(completed_) : cut;
}

}  // namespace memprof::symbolize
