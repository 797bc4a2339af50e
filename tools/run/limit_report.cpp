// SPDX-License-Identifier: MIT
#include "tools/run/limit_report.hpp"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <utility>

#include "memprof/confidence.hpp"

#include "tools/report_head.hpp"
#include "tools/run/heap_pprof.hpp"
#include "tools/run/held_stacks.hpp"
#include "tools/text_report.hpp"
#include "tools/whole_file.hpp"

namespace memprof::tools {
namespace {

using analysis::bytes_text;

constexpr std::size_t most_stacks = 10;
constexpr std::size_t most_processes = 4;

std::string name_of(limit_report::process const& p) {
  return fmt::format("{} ({})", printable(std::filesystem::path(p.program).filename().string()),
                     p.id);
}

/// "leak (4711) has", "cc1plus (4713) and 3 other processes have"
std::string subject_of(limit_report const& r) {
  if (r.processes.empty()) return "it has";
  const std::string first = name_of(r.processes.front());
  const std::size_t others = r.processes.size() - 1;
  if (others == 0) return first + " has";
  return fmt::format("{} and {} other process{} have", first, others, others == 1 ? "" : "es");
}

std::string first_line(limit_report const& r, held_stacks const& held) {
  std::string text;
  if (r.mostly_mapped && !r.processes.empty()) {
    auto const& largest =
        *std::ranges::max_element(r.processes, {}, &limit_report::process::resident);
    text = fmt::format("{} holds {}", name_of(largest),
                       bytes_text(static_cast<double>(largest.resident)));
  } else if (held.stacks.empty()) {
    text = fmt::format("of what {} no stack is known", subject_of(r));
  } else {
    text = fmt::format("{} holds {} of the {} that {} by malloc", printable(held.culprit),
                       analysis::percent_text(held.share_of_culprit, 1), bytes_text(r.live.bytes),
                       subject_of(r));
  }
  if (r.what_counts.empty()) return fmt::format("{}: {}\n", text, r.cause);
  return fmt::format("{}; {}: {}\n", text, r.what_counts, r.cause);
}

std::string time_text(limit_report const& r) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(r.when);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[32] = {};
  std::strftime(text, sizeof text, "%F %T", &parts);
  return fmt::format("{}, {} after the start", text, analysis::duration_text(r.since_start));
}

/// "in use by malloc 219 MiB (217 to 222 MiB), resident 231 MiB; 2026-11-24 16:20:11, 2.31 s ..."
std::string amounts_line(limit_report const& r) {
  std::uint64_t resident = 0;
  for (limit_report::process const& p : r.processes) resident += p.resident;
  std::string live = bytes_text(r.live.bytes);
  if (r.rate > 0 && r.rate < 1 && r.live.bytes > 0) {
    const real_interval i =
        detail::statistics::live_interval(r.live.bytes, r.live.variance, 8 / r.rate, 0.95);
    live += fmt::format(" ({} to {} with 95 %)", bytes_text(i.lower), bytes_text(i.upper));
  }
  return fmt::format("in use by malloc {}, resident {}; {}\n", live,
                     resident != 0 ? bytes_text(static_cast<double>(resident)) : "not known",
                     time_text(r));
}

std::string processes_line(limit_report const& r) {
  if (r.processes.size() < 2) return {};
  std::string text = "processes: ";
  for (std::size_t i = 0; i < std::min(r.processes.size(), most_processes); ++i) {
    text += fmt::format("{}{} {}", i > 0 ? ", " : "", name_of(r.processes[i]),
                        bytes_text(r.processes[i].live));
  }
  if (r.processes.size() > most_processes) text += ", ...";
  return text + "\n";
}

std::string stacks_table(held_stacks const& held) {
  text_table table({{"in use", align::right},
                    {"error", align::right},
                    {"share", align::right},
                    {"oldest", align::right},
                    {"stack, innermost first", align::left}});
  for (std::size_t i = 0; i < std::min(held.stacks.size(), most_stacks); ++i) {
    held_stack const& s = held.stacks[i];
    table.add({bytes_text(s.amount.value), error_text(s.amount), analysis::percent_text(s.share, 1),
               analysis::duration_text(s.oldest), printable(s.text)});
  }
  return "\n" + table.text(colours({.when = "never"}));
}

}  // namespace

std::string report_text(limit_report const& r, std::shared_ptr<symbolize::resolver> const& names) {
  held_stacks held;
  if (r.snapshot != nullptr) held = find_held_stacks(*r.snapshot, names);
  std::string text = first_line(r, held) + amounts_line(r) + processes_line(r);
  if (!r.not_watched.empty()) text += fmt::format("not watched: {}\n", r.not_watched);
  if (held.stacks.empty()) return text;
  return text + stacks_table(held);
}

void write_report_profile(limit_report const& r, std::shared_ptr<symbolize::resolver> const& names,
                          std::filesystem::path const& file) {
  write_whole_file(file, pprof_of(*r.snapshot, names));
}

}  // namespace memprof::tools
