// SPDX-License-Identifier: MIT
/// \file
/// What explains events: what a trace says of itself, and what its codes stand for.
#pragma once

#include <span>

#include "memprof/trace/reader.hpp"

namespace memprof::inline v0::trace {

/// A view of a reader, or of events that were never in a file. Either outlives it.
class legend {
 public:
  legend(reader const& r) noexcept  // NOLINT: whoever has a reader has its legend
      : legend(
            &r, [](void const* of) { return static_cast<reader const*>(of)->notes(); }, r) {}
  /// \param s has `info` and `locations`, as a reader has them, and no notes.
  template <class Source>
  static legend of(Source const& s) noexcept {
    return {&s, [](void const*) { return std::span<note const>(); }, s};
  }

  [[nodiscard]] trace::info const& info() const { return info_(of_); }
  [[nodiscard]] std::span<location const> locations(location_code code) const {
    return locations_(of_, code);
  }
  [[nodiscard]] std::span<note const> notes() const { return notes_(of_); }

 private:
  template <class Source>
  legend(void const* of, std::span<note const> (*notes)(void const*), Source const&) noexcept
      : of_(of),
        info_([](void const* s) -> trace::info const& {
          return static_cast<Source const*>(s)->info();
        }),
        locations_([](void const* s, location_code code) -> std::span<location const> {
          return static_cast<Source const*>(s)->locations(code);
        }),
        notes_(notes) {}

  void const* of_;
  trace::info const& (*info_)(void const*);
  std::span<location const> (*locations_)(void const*, location_code);
  std::span<note const> (*notes_)(void const*);
};

}  // namespace memprof::inline v0::trace
