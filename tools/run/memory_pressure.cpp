// SPDX-License-Identifier: MIT
#include "tools/run/memory_pressure.hpp"

#include <fmt/format.h>
#include <utility>

#include "analysis/analysis.hpp"

namespace memprof::tools {
namespace {

constexpr std::chrono::seconds between_stalls{60};
/// The longer window of `stall_trigger`: what fires earlier may have been before the program.
constexpr std::chrono::seconds first_window{2};
/// Of the machine's memory. Where more is available, those that wait are in a small control group
/// of their own: the kernel is not about to kill anyone else.
constexpr double short_of_memory = 0.25;
constexpr char machine[] = "the machine";
constexpr char short_text[] = " is short of memory: programs waited for it a tenth of the time";

/// The number of kilobytes in "NAME:     123 kB".
std::optional<double> kilobytes_in(std::string const& meminfo, std::string const& name) {
  const std::size_t at = meminfo.find(name + ":");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t digits = meminfo.find_first_not_of(' ', at + name.size() + 1);
  if (digits == std::string::npos) return std::nullopt;
  const auto number = number_in(std::string_view(meminfo).substr(digits));
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

}  // namespace

std::optional<machine_memory> machine_memory_in(std::string const& meminfo) {
  const auto available = kilobytes_in(meminfo, "MemAvailable");
  const auto total = kilobytes_in(meminfo, "MemTotal");
  if (!available || !total) return std::nullopt;
  return machine_memory{.available = *available * 1024, .total = *total * 1024};
}

memory_pressure::memory_pressure(pressure_places const& places) : memory_(places.memory) {
  const memory_group own = find_memory_group(places.groups);
  if (!own) leave_out("no control group: none is seen in " + places.groups.root.string());
  for (memory_group& g : with_outer_groups(own)) groups_.emplace_back(std::move(g));
  watch_stalls(machine, true, places.machine);
  // That of the outermost group says what the machine's says.
  const memory_group second = find_second_version_group(places.groups);
  if (second && second.name != "/") {
    watch_stalls("its control group " + second.name, false, second.folder / "memory.pressure");
  }
}

void memory_pressure::watch_stalls(std::string where, bool of_machine,
                                   std::filesystem::path const& file) {
  auto trigger = std::make_unique<stall_trigger>(file);
  if (!trigger->why_not().empty()) return leave_out("no stalls: " + trigger->why_not());
  stalls_.push_back(
      {.where = std::move(where), .of_machine = of_machine, .trigger = std::move(trigger)});
}

void memory_pressure::leave_out(std::string const& what) {
  not_watched_ += (not_watched_.empty() ? "" : "; ") + what;
}

std::string memory_pressure::look(clock::time_point now) {
  if (!first_) first_ = now;
  const bool too_early = now - *first_ < first_window;
  std::string cause;
  for (group_watch& g : groups_) {
    std::string of_group = g.look(now);
    if (cause.empty()) cause = std::move(of_group);
  }
  for (stalls& s : stalls_) {
    const bool fired = s.trigger->fired();  // is to be taken notice of in any case
    if (!fired || too_early || !cause.empty()) continue;
    if (last_ && now - *last_ < between_stalls) continue;
    cause = s.of_machine ? cause_on_machine() : s.where + short_text;
  }
  if (!cause.empty()) last_ = now;
  return cause;
}

std::string memory_pressure::cause_on_machine() const {
  const auto memory = machine_memory_in(text_of_file(memory_).value_or(""));
  if (!memory) return std::string(machine) + short_text;
  if (memory->available > short_of_memory * memory->total) return {};
  return fmt::format("{}{}; {} of {} are available", machine, short_text,
                     analysis::bytes_text(memory->available), analysis::bytes_text(memory->total));
}

}  // namespace memprof::tools
