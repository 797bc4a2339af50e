// SPDX-License-Identifier: MIT
#include "tools/run/memory_pressure.hpp"

#include <fmt/format.h>
#include <utility>

#include "analysis/analysis.hpp"

namespace memprof::tools {
namespace {

constexpr std::chrono::seconds between_stalls{60};

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

std::string available_text(std::string const& meminfo) {
  const auto available = kilobytes_in(meminfo, "MemAvailable");
  const auto all = kilobytes_in(meminfo, "MemTotal");
  if (!available || !all) return {};
  return fmt::format("; {} of {} are available", analysis::bytes_text(*available * 1024),
                     analysis::bytes_text(*all * 1024));
}

memory_pressure::memory_pressure(pressure_places const& places) : memory_(places.memory) {
  const memory_group own = find_memory_group(places.groups);
  if (!own) leave_out("no control group: none is seen in " + places.groups.root.string());
  for (memory_group& g : with_outer_groups(own)) groups_.emplace_back(std::move(g));
  watch_stalls("the machine", true, places.machine);
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
  std::string cause;
  for (group_watch& g : groups_) {
    std::string of_group = g.look(now);
    if (cause.empty()) cause = std::move(of_group);
  }
  for (stalls& s : stalls_) {
    const bool fired = s.trigger->fired();  // is to be taken notice of in any case
    if (!fired || !cause.empty() || (last_ && now - *last_ < between_stalls)) continue;
    cause = s.where + " is short of memory: programs waited for it a tenth of the time";
    if (s.of_machine) cause += available_text(text_of_file(memory_).value_or(""));
  }
  if (!cause.empty()) last_ = now;
  return cause;
}

}  // namespace memprof::tools
