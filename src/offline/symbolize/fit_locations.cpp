// SPDX-License-Identifier: MIT
#include "symbolize/fit_locations.hpp"

#include <algorithm>
#include <utility>

#include "symbolize/cut_name.hpp"

namespace memprof::symbolize {
namespace {

constexpr std::size_t most_positions = 255;
constexpr std::size_t most_bytes = 4096;
constexpr std::size_t event_bytes = 9;
constexpr std::size_t position_bytes = 8;
/// Calls are left out before a name becomes shorter, and a path before that.
constexpr std::size_t shortest_name = 96;
constexpr std::size_t longest_path = 160;

static_assert(shortest_name >= shortest_cut_name);

/// Paths lose their beginning, because the end of a path says more.
std::size_t path_bytes(trace::location const& l) {
  return std::min(l.filename.size(), longest_path);
}

std::size_t bytes_of(std::vector<trace::location> const& all) {
  std::size_t n = event_bytes;
  for (trace::location const& l : all) n += position_bytes + l.filename.size() + l.defname.size();
  return n;
}

bool fits(std::vector<trace::location> const& all) {
  return all.size() <= most_positions && bytes_of(all) <= most_bytes;
}

/// How long names may be if shorter ones stay whole and all others get the same.
std::size_t room_for_names(std::vector<trace::location> const& all) {
  std::size_t left = most_bytes - event_bytes;
  std::vector<std::size_t> lengths;
  for (trace::location const& l : all) {
    const std::size_t other = position_bytes + path_bytes(l);
    left -= std::min(left, other);
    lengths.push_back(l.defname.size());
  }
  std::ranges::sort(lengths);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t share = left / (lengths.size() - i);
    if (lengths[i] > share) return std::max(share, shortest_name);
    left -= lengths[i];
  }
  return most_bytes;
}

}  // namespace

void location_fitter::learn(std::vector<trace::location> const& positions) {
  const std::size_t room = room_for_names(positions);
  for (trace::location const& l : positions) {
    if (l.defname.size() <= room) continue;
    cut& c = cuts_.try_emplace(std::string{l.defname}, cut{room, {}}).first->second;
    c.longest = std::min(c.longest, room);
  }
}

void location_fitter::fit(std::vector<trace::location>& positions) {
  if (!settled_ && !fits(positions)) learn(positions);
  if (!cuts_.empty()) {
    for (trace::location& l : positions) {
      if (l.defname.size() <= shortest_name) continue;
      const auto at = cuts_.find(std::string{l.defname});
      if (at != cuts_.end() && !at->second.text.empty()) l.defname = at->second.text;
    }
  }
  if (fits(positions)) return;
  for (trace::location& l : positions) {
    if (l.filename.size() > longest_path) {
      l.filename.remove_prefix(l.filename.size() - longest_path);
    }
  }
  while (positions.size() > 1 && !fits(positions)) {
    positions.erase(positions.begin() + static_cast<std::ptrdiff_t>(positions.size() / 2));
  }
}

bool location_fitter::settle() {
  if (settled_ || cuts_.empty()) return true;
  settled_ = true;
  std::unordered_map<std::string_view, std::size_t> like;  // how many names have become this one
  for (auto& [name, c] : cuts_) {
    c.text = cut_name(name, c.longest);
    ++like[c.text];
  }
  // `like` views the texts that change here, so the differing ones are found first.
  std::vector<std::pair<std::string const*, cut*>> alike;
  for (auto& [name, c] : cuts_) {
    if (like[c.text] > 1) alike.emplace_back(&name, &c);
  }
  for (auto const& [name, c] : alike) c->text = cut_name(*name, c->longest, mark_of(*name));
  return false;
}

}  // namespace memprof::symbolize
