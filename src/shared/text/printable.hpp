// SPDX-License-Identifier: MIT
/// \file
/// Names from a program or a trace as a person may see them: nothing else escapes them for
/// terminals, pages and the viewers of other tools.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace memprof::text {

/// A name, whose every character is shown, in a line: control characters, what is not UTF-8, what
/// turns the direction of a text or has no glyph are escaped (base/printable.hpp: \n \x1b \u202e).
[[nodiscard]] std::string printable(std::string_view name);
/// The same into a stream; allocates nothing itself.
void put_printable(std::ostream& out, std::string_view name);

/// What a command writes: printable() of everything but the ends of lines ("\n", "\r\n") and, if
/// `styled`, the escape sequences of memprof's own reports. The last line of defence: a newline in
/// a name passes.
class printable_lines {
 public:
  explicit printable_lines(bool styled = true) : styled_(styled) {}
  /// Adds `lines` to `out`. Up to 4 bytes at the end are kept for the next call: of a character or
  /// sequence that goes on there.
  void add(std::string_view lines, std::string& out);
  /// The end: what was kept.
  void finish(std::string& out);

 private:
  void add_escaped(std::string_view lines, bool last, std::string& out);
  bool styled_;
  std::string kept_;
};

/// All at once.
[[nodiscard]] std::string with_printable_lines(std::string_view lines, bool styled = true);

}  // namespace memprof::text
