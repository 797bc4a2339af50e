// SPDX-License-Identifier: MIT
/// \file
/// Where modules lay, as notes of a trace: what is lost when code gets names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memprof/trace/event.hpp"
#include "memprof/trace/writer.hpp"

#include "symbolize/raw_location.hpp"
#include "trace/trace.hpp"

namespace memprof::symbolize {

/// The name of the notes; `memprof/trace/note.hpp` describes them.
inline constexpr std::string_view module_note = "module";

/// Collects the modules of raw locations.
class module_collector {
 public:
  void add(trace::location_code code, raw_location const& raw);
  /// A note for each module. Of one that was loaded at several places: for each.
  void put(trace::writer& to) const;

 private:
  struct range {
    trace::location_code low, high;
  };
  /// By path, build id and base.
  std::map<std::pair<std::pair<std::string, std::string>, std::uint64_t>, range> modules_;
};

/// The modules that the notes of a trace name.
class noted_modules {
 public:
  noted_modules() = default;
  /// Takes the notes read so far: call it at the end of the trace.
  explicit noted_modules(trace::legend legend);

  /// None if no module or several had code there. The views live as long as this.
  [[nodiscard]] std::optional<raw_location> find(trace::location_code code) const noexcept;

 private:
  struct module_range {
    trace::location_code low, high;
    std::uint64_t base;
    std::string path, build_id;
  };
  std::vector<module_range> modules_;
};

}  // namespace memprof::symbolize
