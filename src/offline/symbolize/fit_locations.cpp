// SPDX-License-Identifier: MIT
#include "symbolize/fit_locations.hpp"

#include <algorithm>

#include "symbolize/cut_name.hpp"

namespace memprof::symbolize {
namespace {

constexpr std::size_t most_positions = 255;
constexpr std::size_t most_bytes = 4096;
constexpr std::size_t event_bytes = 9;
constexpr std::size_t position_bytes = 8;
/// Paths are cut before calls are left out.
constexpr std::size_t longest_path = 160;

static_assert(longest_kept_name >= shortest_cut_name);

std::size_t bytes_of(trace::location const& l) {
  return position_bytes + l.filename.size() + l.defname.size();
}

std::size_t bytes_of(std::vector<trace::location> const& all) {
  std::size_t n = event_bytes;
  for (trace::location const& l : all) n += bytes_of(l);
  return n;
}

bool is_of_library(trace::location const& l) {
  return l.defname.starts_with("std::") || l.defname.starts_with("__gnu_cxx::");
}

/// Leaves positions out that are neither the first nor the last, from the middle outwards, until it
/// fits or there are no more.
template <class Which>
void leave_out(std::vector<trace::location>& all, std::size_t& bytes, Which&& which) {
  const auto fits = [&] { return all.size() <= most_positions && bytes <= most_bytes; };
  while (!fits()) {
    std::size_t found = 0;
    const std::size_t middle = all.size() / 2;
    for (std::size_t away = 0; away <= middle && found == 0; ++away) {
      for (const std::size_t i : {middle + away, middle - away}) {
        if (i > 0 && i + 1 < all.size() && which(all[i])) found = i;
      }
    }
    if (found == 0) return;
    bytes -= bytes_of(all[found]);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(found));
  }
}

}  // namespace

std::string_view location_fitter::cut(std::string_view name) {
  const auto [at, is_new] = cuts_.try_emplace(std::string{name});
  auto& [whole, text] = *at;
  if (is_new) {
    text = cut_name(name, longest_kept_name, mark_of(name));
    new_cuts_.push_back({whole, text});
  }
  return text;
}

void location_fitter::fit(std::vector<trace::location>& positions) {
  for (trace::location& l : positions) {
    if (l.defname.size() > longest_kept_name) l.defname = cut(l.defname);
  }
  const auto fits = [&] {
    return positions.size() <= most_positions && bytes_of(positions) <= most_bytes;
  };
  if (fits()) return;
  for (trace::location& l : positions) {
    if (l.filename.size() > longest_path) {
      l.filename.remove_prefix(l.filename.size() - longest_path);
    }
  }
  std::size_t bytes = bytes_of(positions);
  leave_out(positions, bytes, is_of_library);
  leave_out(positions, bytes, [](trace::location const&) { return true; });
}

}  // namespace memprof::symbolize
