// SPDX-License-Identifier: MIT
#include "analysis/identity.hpp"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

#include "analysis/object_table.hpp"
#include "analysis/trace_source.hpp"
#include "text/text.hpp"

namespace memprof::analysis {
namespace {

/// memtrace's way of writing bytes here (hotspots has another).
std::string bytes(double n) {
  if (n != n) return "  0 B";
  if (n < 1000) return fmt::format("{:>3.0f} B", n);
  double unit = 1024;
  for (char const* name : {"kB", "MB", "GB", "TB"}) {
    if (n < 1000 * unit || name[0] == 'T') {
      return fmt::format("{:>3.{}f} {}", n / unit, n < 10 * unit ? 1 : 0, name);
    }
    unit *= 1024;
  }
  return {};
}

/// Ours name what they are; others are those of OCaml's runtime, in the words of memtrace's tool.
std::string parameters_line(std::string const& parameters) {
  if (parameters.empty()) return {};
  const bool ours = parameters.starts_with("memprof ");
  return fmt::format("   with {}{}\n", ours ? "" : "OCaml GC params ", text::printable(parameters));
}

}  // namespace

identity identify(trace_source& source) {
  reading events = source.open(false);
  identity i;
  i.info = events.info();
  i.file_bytes = events.reader().size_bytes().value_or(0);
  object_table<std::uint64_t> live;  // samples × 2, + 1 if not on the minor heap
  trace::event e;
  for (; events.next(e);) {
    ++i.events;
    i.latest = std::max(i.latest, e.time);
    if (e.kind == trace::event_kind::allocation) {
      ++i.objects;
      const bool minor = e.source == trace::heap::minor;
      live.insert(e.object) = e.n_samples * 2 + (minor ? 0 : 1);
      (minor ? i.minor : i.direct) += e.n_samples;
      i.sizes[0] += e.length <= 4 ? e.n_samples : 0;
      i.sizes[1] += e.length <= 16 ? e.n_samples : 0;
      i.sizes[2] += e.length <= 256 ? e.n_samples : 0;
      i.largest_words = std::max(i.largest_words, e.length);
    } else if (std::uint64_t* const object = live.find(e.object)) {
      if (e.kind == trace::event_kind::promotion) {
        i.promoted += *object / 2;
        *object |= 1;
      } else {
        if ((*object & 1) != 0) i.collected += *object / 2;
        live.erase(e.object);
      }
    }
  }
  i.duration = e.time;
  i.notes = notes_of(events.reader());
  return i;
}

std::string identity_text(identity const& i, std::string const& file) {
  trace::info const& info = i.info;
  const auto share = [](std::uint64_t part, std::uint64_t whole, int decimals) {
    if (whole == 0) return std::string("-%");
    const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    return fmt::format("{:.{}f}%", percent, decimals);
  };
  const double seconds = static_cast<double>(i.duration.count()) / 1e6;
  const auto rate = [&](std::uint64_t samples) {
    const double amount = info.bytes_of(static_cast<double>(samples));
    if (!(seconds > 0)) return std::string(samples == 0 ? "  0 B/s" : "? B/s");
    return bytes(amount / seconds) + "/s";
  };
  const std::time_t start =
      std::chrono::floor<std::chrono::seconds>(info.start_time).time_since_epoch().count();
  std::tm parts{};
  char date[64] = "?";
  if (::gmtime_r(&start, &parts) != nullptr) {
    std::strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y UTC", &parts);
  }
  const std::string file_size =
      i.file_bytes > 0 ? fmt::format(" ({})", bytes(static_cast<double>(i.file_bytes))) : "";
  const std::string context =
      info.context.empty() ? ""
                           : fmt::format("   with context: {}\n", text::printable(info.context));
  const std::uint64_t samples = i.minor + i.direct;
  std::string notes;
  for (text_note const& n : i.notes) {
    notes += fmt::format("   {}: {}\n", text::printable(n.name), text::printable(shown_value(n)));
  }
  if (!notes.empty()) notes = "Notes:\n" + notes;
  return fmt::format("Trace file {}{}\n   of {}\n   at {}\n", text::printable(file), file_size,
                     text::printable(info.executable_name), date) +
         fmt::format("   on host {} ({}-bit), pid {}, sample rate {:.1e}\n",
                     text::printable(info.host_name), info.word_bits, info.pid, info.sample_rate) +
         parameters_line(info.runtime_parameters) + context +
         fmt::format("Trace statistics:\n   Minor: {} allocations, {} promoted\n", rate(i.minor),
                     share(i.promoted, i.minor, 1)) +
         fmt::format("   Major: {} allocations ({} direct), {} collections\n",
                     rate(i.direct + i.promoted), rate(i.direct), rate(i.collected)) +
         fmt::format("   Sizes (by word): {} <= 4w, {} <= 16w, {} <= 256w. Max: {}\n",
                     share(i.sizes[0], samples, 0), share(i.sizes[1], samples, 0),
                     share(i.sizes[2], samples, 0),
                     bytes(static_cast<double>(i.largest_words) * info.word_bytes())) +
         fmt::format("   Runtime: {:.3f} s\n", seconds) + notes;
}

}  // namespace memprof::analysis
