// SPDX-License-Identifier: MIT
#include "endpoints/heap_report.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

#include "memprof/confidence.hpp"
#include "memprof/label.hpp"
#include "memprof/version.hpp"

#include "endpoints/called_code.hpp"
#include "pprof/pprof.hpp"
#include "text/text.hpp"

namespace memprof::endpoints {
namespace {

constexpr double word_bytes = 8;

/// What samples in blocks of a row stand for, by the rate at which they were taken.
pprof::heap_values values_of(profile_row const& r, double per_word) {
  const auto words = [&](std::uint64_t samples) { return static_cast<double>(samples) / per_word; };
  const auto size = static_cast<double>(r.words);
  return {.allocated_objects = words(r.allocated) / size,
          .allocated_bytes = words(r.allocated) * word_bytes,
          .in_use_objects = words(r.in_use) / size,
          .in_use_bytes = words(r.in_use) * word_bytes};
}

/// The size of a block without its header, as pprof labels it.
double block_bytes(profile_row const& r) { return static_cast<double>(r.words - 1) * word_bytes; }

/// The rows that are not empty, the largest first; beyond `most` their order is any.
template <class Size>
std::vector<profile_row const*> largest_rows(profile_snapshot const& s, std::size_t most,
                                             Size size) {
  std::vector<profile_row const*> rows;
  for (profile_row const& r : s.rows) {
    if (r.allocated > 0 || r.in_use > 0) rows.push_back(&r);
  }
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(std::min(most, rows.size()));
  std::ranges::partial_sort(rows, middle, std::greater{}, [&](auto* r) { return size(*r); });
  return rows;
}

called_code code_of(std::span<profile_row const* const> rows, code_names& names) {
  called_code code;
  for (profile_row const* r : rows) code.add(frames_of(*r));
  code.find_names(names);
  return code;
}

/// Locations of a profile, as stacks need them. Modules and code have the addresses of their files,
/// as if they had been loaded at 0: real ones would show whoever may read a profile where the
/// process's code is, and undo the randomness of its addresses.
class location_table {
 public:
  location_table(pprof::profile_writer& writer, called_code const& code)
      : writer_(writer), code_(code), ids_(code.size()) {
    for (modules::code_segment const& s : code.places().segments) {
      mappings_.push_back(writer.mapping_id({.file = s.path,
                                             .build_id = s.build_id,
                                             .start = s.begin - s.bias,
                                             .limit = s.end - s.bias,
                                             .offset = s.file_offset}));
    }
  }

  std::uint64_t of_frame(std::uintptr_t frame) {
    const std::size_t i = code_.index_of(frame);
    if (ids_[i] == 0) {
      const std::uint32_t segment = code_.places().places[i].segment;
      const pprof::line l{.function = code_.name(i), .file = {}, .symbol = {}};
      const bool nowhere = segment == modules::code_place::nowhere;
      const std::uintptr_t bias = nowhere ? 0 : code_.places().segments[segment].bias;
      ids_[i] =
          writer_.add_location(nowhere ? 1 : mappings_[segment], code_.address(i) - bias, {&l, 1});
    }
    return ids_[i];
  }

  std::uint64_t named(char const* name) {
    const pprof::line l{.function = name, .file = {}, .symbol = {}};
    return writer_.add_location(1, 0, {&l, 1});
  }

 private:
  pprof::profile_writer& writer_;
  called_code const& code_;
  std::vector<std::uint64_t> mappings_;
  std::vector<std::uint64_t> ids_;
};

void add(pprof::heap_values& sum, pprof::heap_values const& v) {
  sum.allocated_objects += v.allocated_objects;
  sum.allocated_bytes += v.allocated_bytes;
  sum.in_use_objects += v.in_use_objects;
  sum.in_use_bytes += v.in_use_bytes;
}

std::int64_t nanoseconds(std::chrono::system_clock::duration d) {
  return std::chrono::nanoseconds(d).count();
}

void write_samples(profile_snapshot const& s, std::span<profile_row const* const> chosen,
                   std::span<profile_row const* const> rest, location_table& locations,
                   pprof::profile_writer& writer) {
  std::vector<std::uint64_t> stack;
  std::uint64_t unknown = 0;
  for (profile_row const* r : chosen) {
    stack.clear();
    for (const std::uintptr_t frame : frames_of(*r)) stack.push_back(locations.of_frame(frame));
    if (stack.empty()) {
      if (unknown == 0) unknown = locations.named("(stack unknown)");
      stack.push_back(unknown);
    }
    writer.add_sample(stack, values_of(*r, s.per_word), block_bytes(*r), labels_of(r->labels));
  }
  if (rest.empty()) return;
  pprof::heap_values sum;
  for (profile_row const* r : rest) add(sum, values_of(*r, s.per_word));
  stack.assign(1, locations.named("(smaller stacks)"));
  writer.add_sample(stack, sum, 0);
}

struct total {
  double bytes = 0, lower = 0, upper = 0;
};

/// An exact interval for what was allocated; for live memory the samples are counted as they are.
total total_of(std::uint64_t samples, double per_word) {
  const words_interval i = allocated_interval(samples, 0.95, sampling_rate{per_word});
  return {static_cast<double>(samples) / per_word * word_bytes,
          static_cast<double>(i.lower.count()) * word_bytes,
          static_cast<double>(i.upper.count()) * word_bytes};
}

/// `now` without what was allocated before, and without what was in use if `also_in_use`. Both are
/// sorted by index. What a row had that has lost its stack meanwhile is in a row without one.
profile_snapshot since(profile_snapshot const& before, profile_snapshot now, bool also_in_use) {
  std::array<std::uint64_t, 65> lost{};  // by the width of the size
  auto r = now.rows.begin();
  for (profile_row const& then : before.rows) {
    while (r != now.rows.end() && r->index < then.index) ++r;
    if (r == now.rows.end() || r->index != then.index || r->stack != then.stack) {
      lost[static_cast<std::size_t>(std::bit_width(then.words))] += then.allocated;
      continue;
    }
    r->allocated -= std::min(r->allocated, then.allocated);
    if (also_in_use) r->in_use -= std::min(r->in_use, then.in_use);
  }
  for (profile_row& rest : now.rows) {
    if (rest.stack != 0) continue;
    rest.allocated -=
        std::min(rest.allocated, lost[static_cast<std::size_t>(std::bit_width(rest.words))]);
  }
  now.began = before.taken;
  return now;
}

double mebibytes(double bytes) { return std::round(bytes / (1 << 20) * 1000) / 1000; }

void write_total(std::ostream& out, char const* what, total const& t) {
  out << what << mebibytes(t.bytes) << " MiB (" << mebibytes(t.lower) << " to "
      << mebibytes(t.upper) << " with 95 %)\n";
}

}  // namespace

profile_snapshot difference(profile_snapshot const& before, profile_snapshot now) {
  return since(before, std::move(now), true);
}

profile_snapshot allocated_since(profile_snapshot const& before, profile_snapshot now) {
  return since(before, std::move(now), false);
}

std::string pprof_of(profile_snapshot const& s, char const* default_type, code_names& names,
                     std::size_t most_rows) {
  const auto rows =
      largest_rows(s, most_rows, [](profile_row const& r) { return r.in_use + r.allocated; });
  const std::span all(rows);
  const auto chosen = all.first(std::min(most_rows, all.size()));
  const stack_rows::holding held = hold_stacks();
  const called_code code = code_of(chosen, names);
  std::ostringstream out;
  pprof::profile_writer writer(out);
  location_table locations(writer, code);
  write_samples(s, chosen, all.subspan(chosen.size()), locations, writer);
  writer.finish({.time_nanoseconds = nanoseconds(s.taken.time_since_epoch()),
                 .duration_nanoseconds = nanoseconds(s.taken - s.began),
                 .period = word_bytes / s.per_word,
                 .default_type = default_type,
                 .comments = {"memprof " + std::string(version) +
                              "; unbiased estimates from samples, of blocks allocated since "
                              "collect_stacks()"}});
  return std::move(out).str();
}

std::string text_of(profile_snapshot const& s, code_names& names, std::size_t most_rows) {
  std::uint64_t allocated = 0, in_use = 0;
  for (profile_row const& r : s.rows) {
    allocated += r.allocated;
    in_use += r.in_use;
  }
  std::ostringstream out;
  out << "Blocks allocated in the last "
      << std::chrono::duration_cast<std::chrono::seconds>(s.taken - s.began).count()
      << " s, estimated from samples; one in " << word_bytes / s.per_word << " bytes\n\n";
  write_total(out, "in use      ", total_of(in_use, s.per_word));
  write_total(out, "allocated   ", total_of(allocated, s.per_word));
  const auto rows = largest_rows(
      s, most_rows, [](profile_row const& r) { return std::pair(r.in_use, r.allocated); });
  const auto chosen = std::span(rows).first(std::min(most_rows, rows.size()));
  const stack_rows::holding held = hold_stacks();
  const called_code code = code_of(chosen, names);
  for (profile_row const* r : chosen) {
    const pprof::heap_values v = values_of(*r, s.per_word);
    out << "\n"
        << mebibytes(v.in_use_bytes) << " MiB in use, " << mebibytes(v.allocated_bytes)
        << " MiB allocated, in blocks of " << block_bytes(*r) << " bytes";
    for (auto const& [key, value] : labels_of(r->labels)) {
      out << ", " << text::printable(key) << '=' << text::printable(value);
    }
    out << '\n';
    for (const std::uintptr_t frame : frames_of(*r)) {
      out << "    " << text::printable(code.name(code.index_of(frame))) << '\n';
    }
  }
  if (rows.size() > chosen.size()) out << "\n" << rows.size() - chosen.size() << " rows more\n";
  return std::move(out).str();
}

}  // namespace memprof::endpoints
