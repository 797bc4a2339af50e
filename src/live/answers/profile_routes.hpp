// SPDX-License-Identifier: MIT
/// \file
/// The answers below /debug/pprof.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

#include "memprof/serve/respond.hpp"

#include "answers/program_source.hpp"
#include "http/http.hpp"

namespace memprof::answers {

enum class profile_kind { heap, allocs, delta_heap };

/// Profiles are written one at a time, and at most four requests wait for their seconds.
///
/// \note Threads: any, at the same time.
class profile_routes {
 public:
  /// \param from outlives this.
  explicit profile_routes(program_source& from) : from_(from) {}

  [[nodiscard]] serve::response profile(profile_kind kind, http::request_target const& target);
  /// \param addresses "0x4a1e+0x5b00"
  [[nodiscard]] serve::response symbols(std::string_view addresses);

 private:
  serve::response write(profile_kind kind, std::unique_ptr<heap_profile> taken, bool as_text);
  serve::response changes(profile_kind kind, std::uint32_t seconds);

  program_source& from_;
  /// Guards what is written, `last_delta_`, and names of functions. No thread inside malloc or free
  /// waits for it.
  std::timed_mutex turn_;
  std::unique_ptr<heap_profile> last_delta_;
  std::atomic<int> waiting_{0};
};

/// \param with_page /debug/memprof/ is there, too.
[[nodiscard]] serve::response index_page(bool with_page);

}  // namespace memprof::answers
