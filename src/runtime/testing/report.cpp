// SPDX-License-Identifier: MIT
#include <array>
#include <cstdio>

#include "memprof/interrupt_report.hpp"

namespace memprof::inline v0::testing {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

std::string counted(std::uint64_t n, char const* what) {
  return number(n) + " " + what + (n == 1 ? "" : "s");
}

std::string hexadecimal(std::uintptr_t n) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(n));
  return text.data();
}

std::string file_name(std::string const& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

/// A demangled name without the arguments of its templates, and in two lines at most.
std::string shortened(std::string const& name) {
  constexpr std::size_t longest = 160;
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool is_operator = (i >= 8 && name.compare(i - 8, 8, "operator") == 0) ||
                             (i >= 9 && name.compare(i - 9, 9, "operator<") == 0);
    const bool is_arrow = c == '>' && i > 0 && name[i - 1] == '-';
    if (c == '<' && !is_operator) {
      if (depth++ == 0) text += "<...";
    }
    if (depth == 0) text += c;
    if (c == '>' && depth > 0 && !is_arrow && --depth == 0) text += '>';
  }
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

std::string line_of(stack_frame const& f) {
  const std::string text = f.function.empty() ? "?" : shortened(f.function);
  if (f.module.empty()) {
    return text + "  [" + hexadecimal(reinterpret_cast<std::uintptr_t>(f.address)) + "]";
  }
  return text + "  [" + file_name(f.module) + "+" + hexadecimal(f.offset) + "]";
}

std::string text_of(interrupt_failure const& f) {
  std::string text = "\n  failed ";
  text += f.ordinal == 0 ? "without an interrupt" : "at point " + number(f.ordinal);
  text += ": " + std::string(to_string(f.what));
  if (!f.detail.empty()) text += ": " + f.detail;
  if (!f.stack.empty()) {
    text += f.delivered ? "\n  the interrupt was raised at" : "\n  the interrupt was wanted at";
    int i = 0;
    for (stack_frame const& frame : f.stack) {
      text += "\n    #" + std::to_string(i++) + " " + line_of(frame);
    }
    text += "\n  lines of the source: addr2line -Cfipe FILE OFFSET, of what stands in brackets";
  }
  if (f.ordinal != 0) {
    text +=
        "\n  again: replay_interrupt(" + number(f.ordinal) + ", ...) with seed " + number(f.seed);
  }
  return text;
}

/// The failures after the first, by kind, with as many points of each as fit into a line.
std::string others_of(std::vector<interrupt_failure> const& failures) {
  constexpr std::size_t most_listed = 12;
  std::string text;
  for (auto kind = failure_kind::check_failed; kind <= failure_kind::hung;
       kind = static_cast<failure_kind>(static_cast<int>(kind) + 1)) {
    std::string points;
    std::size_t n = 0;
    for (std::size_t i = 1; i < failures.size(); ++i) {
      if (failures[i].what != kind || ++n > most_listed) continue;
      points += (n == 1 ? " " : ", ") + number(failures[i].ordinal);
    }
    if (n == 0) continue;
    text += "\n  failed at " + counted(n, "more point") + ": " + std::string(to_string(kind)) +
            ":" + points + (n > most_listed ? ", ..." : "");
  }
  return text;
}

}  // namespace

std::string_view to_string(failure_kind kind) noexcept {
  switch (kind) {
    case failure_kind::none:
      return "no failure";
    case failure_kind::check_failed:
      return "the check returned false";
    case failure_kind::check_threw:
      return "the check threw";
    case failure_kind::leak:
      return "memory was left behind";
    case failure_kind::swallowed:
      return "the interrupt was swallowed: the interrupted task returned normally";
    case failure_kind::scenario_threw:
      return "the scenario threw without having been interrupted";
    case failure_kind::crashed:
      return "the interrupt ended the process";
    case failure_kind::hung:
      return "the scenario did not end";
    case failure_kind::no_points:
      return "nothing in the scenario can be interrupted";
  }
  return "unknown";
}

std::string interrupt_report::message() const {
  std::string text = "interruption test: " + counted(points, "point") + ", " +
                     counted(tried, "run") + ": " + number(delivered) + " delivered, " +
                     number(deferred) + " deferred";
  if (deferred > 0) {
    text += " (" + number(late) + " to a later point, " + number(deferred - late) + " to the end)";
  }
  if (unreached > 0) text += ", " + number(unreached) + " not reached";
  if (left_out > 0) text += "; " + counted(left_out, "point") + " left out";
  if (!deterministic) {
    text +=
        "\n  not deterministic: the scenario does not always ask for the same memory, so a point "
        "may be another one in the next run";
  }
  for (deferral_group const& g : deferrals) {
    text += "\n  deferred at " + counted(g.points, "point") +
            " (first: " + number(g.first_ordinal) + "): " + g.reason;
    if (!g.place.empty()) text += ": " + shortened(g.place);
  }
  if (first_failure) text += text_of(*first_failure);
  return text + others_of(failures);
}

}  // namespace memprof::inline v0::testing
