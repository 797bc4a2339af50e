// SPDX-License-Identifier: MIT
/// \file
/// Which answer a request gets.
#pragma once

#include <string_view>

#include "memprof/serve/respond.hpp"

#include "answers/profile_routes.hpp"

namespace memprof::answers {

/// /metrics, and what is below /debug/pprof.
///
/// \note Threads: any, at the same time.
class routes {
 public:
  /// \param from outlives this.
  explicit routes(program_source& from) : from_(from), profiles_(from) {}

  /// \throws std::bad_alloc alone.
  [[nodiscard]] serve::response to(serve::request const& r);

 private:
  serve::response get(serve::request const& r);
  serve::response metrics_page(std::string_view accept);

  program_source& from_;
  profile_routes profiles_;
};

/// The part of a path that names a profile, "/heap"; the paths of gperftools are known, too.
[[nodiscard]] std::string_view name_below_pprof(std::string_view path) noexcept;

}  // namespace memprof::answers
