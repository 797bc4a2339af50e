// SPDX-License-Identifier: MIT
#include "analysis/identity.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "analysis/object_table.hpp"
#include "analysis/trace_source.hpp"

namespace memprof::analysis {
namespace {

/// printf into a string.
template <class... Args>
std::string format(char const* how, Args... args) {
  const int length = std::snprintf(nullptr, 0, how, args...);
  std::string text(static_cast<std::size_t>(std::max(length, 0)), '\0');
  std::snprintf(text.data(), text.size() + 1, how, args...);
  return text;
}

/// memtrace's way of writing bytes here (hotspots has another).
std::string bytes(double n) {
  if (n != n) return "  0 B";
  if (n < 1000) return format("%3.0f B", n);
  double unit = 1024;
  for (char const* name : {"kB", "MB", "GB", "TB"}) {
    if (n < 1000 * unit || name[0] == 'T') {
      return n < 10 * unit ? format("%3.1f %s", n / unit, name)
                           : format("%3.0f %s", n / unit, name);
    }
    unit *= 1024;
  }
  return {};
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
  return i;
}

std::string identity_text(identity const& i, std::string const& file) {
  trace::info const& info = i.info;
  const auto share = [](char const* how, std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return std::string("-%");
    return format(how, 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  };
  const double seconds = static_cast<double>(i.duration.count()) / 1e6;
  const auto rate = [&](std::uint64_t samples) {
    const double amount = info.bytes_of(static_cast<double>(samples));
    if (!(seconds > 0)) return std::string(samples == 0 ? "  0 B/s" : "? B/s");
    return bytes(amount / seconds) + "/s";
  };
  std::string text = "Trace file " + file;
  if (i.file_bytes > 0) text += " (" + bytes(static_cast<double>(i.file_bytes)) + ")";
  text += "\n   of " + info.executable_name;
  const std::time_t start =
      std::chrono::floor<std::chrono::seconds>(info.start_time).time_since_epoch().count();
  std::tm parts{};
  char date[64] = "?";
  if (::gmtime_r(&start, &parts) != nullptr) {
    std::strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y UTC", &parts);
  }
  text += "\n   at " + std::string(date);
  text += "\n   on host " + info.host_name +
          format(" (%u-bit), pid %lld, sample rate %.1e", info.word_bits,
                 static_cast<long long>(info.pid), info.sample_rate);
  text += "\n   with OCaml GC params " + info.runtime_parameters;
  if (!info.context.empty()) text += "\n   with context: " + info.context;
  const std::uint64_t samples = i.minor + i.direct;
  text += "\nTrace statistics:\n   Minor: " + rate(i.minor) + " allocations, " +
          share("%.1f%%", i.promoted, i.minor) + " promoted";
  text += "\n   Major: " + rate(i.direct + i.promoted) + " allocations (" + rate(i.direct) +
          " direct), " + rate(i.collected) + " collections";
  text += "\n   Sizes (by word): " + share("%.0f%%", i.sizes[0], samples) + " <= 4w, " +
          share("%.0f%%", i.sizes[1], samples) + " <= 16w, " +
          share("%.0f%%", i.sizes[2], samples) +
          " <= 256w. Max: " + bytes(static_cast<double>(i.largest_words) * info.word_bytes());
  return text + format("\n   Runtime: %.3f s\n", seconds);
}

}  // namespace memprof::analysis
