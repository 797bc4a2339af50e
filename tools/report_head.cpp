// SPDX-License-Identifier: MIT
#include "tools/report_head.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <vector>

#include "tools/amount.hpp"
#include "tools/text_report.hpp"

namespace memprof::tools {

std::string interval_text(analysis::estimated const& e) {
  using analysis::bytes_text;
  if (e.lower == e.upper) return bytes_text(e.value);
  return fmt::format("{} ({} to {})", bytes_text(e.value), bytes_text(e.lower),
                     bytes_text(e.upper));
}

std::string error_text(analysis::estimated const& e) {
  if (e.value == 0) return "";
  if (e.lower == e.upper) return "exact";
  return analysis::error_text(e.relative_error());
}

namespace {

/// "limits hit: 2 memory, 1 token; the first at 1.2 s": a line, or nothing.
std::string interrupts_text(std::vector<trace::interrupt> const& all) {
  if (all.empty()) return {};
  std::map<limit_kind, std::size_t> counts;
  for (trace::interrupt const& i : all) ++counts[i.kind];
  std::string text = "limits hit:";
  for (auto const& [kind, n] : counts) {
    fmt::format_to(std::back_inserter(text), "{} {} {}", text.ends_with(':') ? "" : ",", n,
                   to_string(kind));
  }
  const auto first = std::min_element(all.begin(), all.end(),
                                      [](auto const& a, auto const& b) { return a.time < b.time; });
  return fmt::format("{}; the first at {}\n", text, analysis::duration_text(first->time));
}

double note_number(std::vector<analysis::text_note> const& notes, std::string_view name) {
  const std::string text = analysis::note_value(notes, name);
  return text.empty() ? 0.0 : std::strtod(text.c_str(), nullptr);
}

/// "213 MiB resident at most, 9.8 MiB by malloc: ...", or nothing.
std::string resident_text(analysis::usage const& u, analysis::sample_errors& errors) {
  using analysis::bytes_text;
  const double resident = note_number(u.notes, "resident_peak");
  if (!(resident > 0)) return {};
  std::string text = fmt::format("{} resident at most", bytes_text(resident));
  // What it allocated before a recorder attached is not known.
  if (!u.everything || !analysis::note_value(u.notes, "attached").empty()) return text;
  const auto malloced = errors.estimate(u.most);
  text += fmt::format(", {} by malloc", bytes_text(malloced.value));
  const double anonymous = note_number(u.notes, "anonymous_peak");
  // Where more than half was surely not malloc's, and it is no file's either. A forked process has
  // its parent's, too; the first one was executed.
  const bool executed = !analysis::note_value(u.notes, "command").empty();
  if (executed && anonymous > 2 * malloced.upper) text += ": the rest was mapped directly";
  return text;
}

/// How the process was started and ended, as its recorder saw it: up to three lines.
std::string notes_text(analysis::usage const& u, analysis::sample_errors& errors) {
  std::string text;
  if (const auto command = analysis::note_value(u.notes, "command"); !command.empty()) {
    text += fmt::format("command: {}\n", printable(command));
  }
  if (!analysis::note_value(u.notes, "attached").empty()) {
    const auto age = static_cast<std::int64_t>(note_number(u.notes, "attached"));
    text += fmt::format("attached {} after it began; what it had allocated by then is not known\n",
                        analysis::duration_text(std::chrono::microseconds(age)));
  }
  if (const auto fault = analysis::note_value(u.notes, "fault"); !fault.empty()) {
    text += fmt::format("found by MEMPROF_GUARD: {}\n", printable(fault));
  }
  const std::string end = analysis::note_value(u.notes, "ended");
  const std::string resident = resident_text(u, errors);
  if (!end.empty()) text += fmt::format("ended: {}", printable(end));
  if (!resident.empty()) text += (end.empty() ? "memory: " : "; ") + resident;
  return text.ends_with('\n') || text.empty() ? text : text + "\n";
}

/// Where blocks are so small that it makes a difference to what other tools count: a line, or
/// nothing.
std::string headers_text(analysis::usage const& u) {
  const double headers =
      u.info.word_bytes() * analysis::objects_estimate(u.info, u.total.allocated).value;
  const double all = u.info.bytes_of(static_cast<double>(u.total.allocated.samples));
  if (all == 0 || headers < all / 4) return {};
  return fmt::format("{} of what was allocated is headers, counted as one word for each block\n",
                     analysis::bytes_text(headers));
}

/// When the process began to end: a line, or nothing.
std::string exit_text(analysis::usage const& u) {
  if (!u.exit_began) return {};
  const auto freed = static_cast<double>(u.freed_afterwards.samples);
  return fmt::format("the end is when exit began, at {}; {} was freed after that\n",
                     analysis::duration_text(*u.exit_began),
                     analysis::bytes_text(u.info.bytes_of(freed)));
}

}  // namespace

std::string peak_text(analysis::usage const& u, analysis::sample_errors& errors) {
  using analysis::bytes_text;
  const auto m = u.moment_of(analysis::measure::peak);
  const auto peak = errors.estimate(u.total.at_peak.samples, m);
  const auto end = errors.estimate(u.total.in_use.samples, u.moment_of(analysis::measure::in_use));
  std::string text;
  if (peak.value == 0 && end.value == 0 && u.total.allocated.samples != 0) {
    // Of so few samples none was there at the moment that the others chose.
    const double most =
        std::min(errors.estimate(u.most).upper, errors.estimate(u.total.allocated.samples).upper);
    return fmt::format("peak at most {}", bytes_text(most));
  }
  if (peak.value < end.value) {
    // What cannot be, and is chance: half of the samples speak of each moment of the peak.
    text = fmt::format(
        "peak about as at the end ({} to {}) at {}", bytes_text(std::max(peak.lower, end.lower)),
        bytes_text(std::max(peak.upper, end.upper)), analysis::duration_text(u.peak_time));
  } else {
    text = fmt::format("peak {} at {}", interval_text(peak), analysis::duration_text(u.peak_time));
  }
  if (u.picked || u.info.sample_rate >= 1) return text;
  return text + fmt::format(", never over {}", bytes_text(errors.estimate(u.most).upper));
}

std::string report_head(analysis::usage const& u, analysis::sample_errors& errors,
                        page const& fits) {
  using analysis::count_text;
  using analysis::duration_text;
  const auto m = u.moment_of(analysis::measure::allocated);
  const std::string text =
      fmt::format("{} [{}], {}, {} at rate {}\n",
                  printable(analysis::program_name(u.info, u.notes)), u.info.pid,
                  duration_text(u.duration), count_text(u.total.allocated.samples, "sample"),
                  readable(u.info.sample_rate)) +
      fmt::format("allocated {}; in use at the end {}; {}\n",
                  interval_text(errors.estimate(u.total.allocated.samples, m)),
                  interval_text(errors.estimate(u.total.in_use.samples, m)), peak_text(u, errors)) +
      headers_text(u) + exit_text(u) + interrupts_text(u.interrupts) + notes_text(u, errors);
  return wrapped(text, fits) + "\n";
}

}  // namespace memprof::tools
