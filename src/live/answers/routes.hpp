// SPDX-License-Identifier: MIT
/// \file
/// Which answer a request gets.
#pragma once

#include <cstdint>
#include <string_view>

#include "memprof/serve/respond.hpp"

#include "answers/profile_routes.hpp"

namespace memprof::answers {

/// What a path asks for. `page` is all that is below /debug/memprof.
enum class subject : std::uint8_t {
  metrics,
  index,
  heap,
  allocs,
  delta_heap,
  cmdline,
  symbol,
  page,
  nothing
};

/// By the path alone, whatever else a request has; the paths of gperftools are known, too.
[[nodiscard]] subject subject_of(serve::request const& r) noexcept;

/// /metrics, and what is below /debug/pprof and /debug/memprof.
///
/// \note Threads: any, at the same time.
class routes {
 public:
  /// \param from outlives this.
  explicit routes(program_source& from) : from_(from), profiles_(from) {}

  /// \throws std::bad_alloc alone.
  [[nodiscard]] serve::response to(serve::request const& r) { return to(r, subject_of(r)); }
  /// \param what subject_of(r).
  [[nodiscard]] serve::response to(serve::request const& r, subject what);

 private:
  serve::response get(serve::request const& r, subject what);
  serve::response metrics_page(std::string_view accept);

  program_source& from_;
  profile_routes profiles_;
};

}  // namespace memprof::answers
