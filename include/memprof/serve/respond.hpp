// SPDX-License-Identifier: MIT
/// \file
/// What Prometheus, Parca, Pyroscope and pprof ask of a process, answered in your own HTTP server.
///
///     memprof::serve::collect_stacks();  // at the beginning of main
///     // in a handler of your server, for every path below /debug/pprof/, and for /metrics:
///     memprof::serve::response r = memprof::serve::respond({.target = "/debug/pprof/allocs"});
///
/// - `/debug/pprof/`: an index.
/// - `/debug/pprof/heap`: heap profile for pprof, of four values, live memory first.
/// - `/debug/pprof/allocs`: the same profile, allocations first.
/// - `/debug/pprof/delta_heap`: allocations since the last such request, and live memory.
/// - `/debug/pprof/cmdline`: the command line, NUL between its words.
/// - `/debug/pprof/symbol`: functions of addresses: "?0x4a1e+0x5b00", or as the body of a POST.
/// - `/debug/memprof/`: the page of `memprof serve`, live: blocks of this process that live, and
///   those that are freed while the page is open. It is an installed file: set_page_file.
/// - `/metrics`: OpenMetrics 1.0, or Prometheus' text 0.0.4, as `accept` asks.
///
/// `?seconds=N` (1 to 300) waits and answers what changed meanwhile: allocations, and where live
/// memory grew. `?debug=1` gives text for people. `/pprof/heap`, `/pprof/cmdline` and
/// `/pprof/symbol`, the paths of gperftools, are answered as well.
///
/// Profiles reveal file paths and function names, and a command line may hold secrets:
/// answer only whom you trust.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memprof/detail/export.hpp"
#include "memprof/limits.hpp"
#include "memprof/serve/metrics.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0::serve {

///  - `method`: "GET" or "HEAD"; for `symbol` also "POST".
///  - `target`: path and query, as in the first line of the request.
///  - `accept`: the header Accept; may be empty.
///  - `body`: of a POST.
struct request {
  std::string_view method = "GET";
  std::string_view target;
  std::string_view accept = {};
  std::string_view body = {};
};

///  - `status`: 200; 301 at `/debug/memprof`; 400 a malformed query; 404 another path; 405 another
///    method; 413, 414 too long; 503 try again later, or no profile can be taken: the body says
///    why.
struct response {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  ///< others
};

/// Answers a request. Whatever the request is, the answer is a response.
///
/// The first request for a profile begins to collect stacks, if `collect_stacks` was not called;
/// profiles then lack what was allocated before.
///
/// \throws std::bad_alloc alone.
/// \note Threads: any, at the same time. Profiles are written one at a time: who has waited for 2 s
///   gets 503. At most four requests wait for their `seconds` at a time.
/// \note Locks: none that new, malloc or free wait for.
/// \note Fork: a child that was forked while another thread was in here answers like any process.
/// \note Cost: `/metrics`: 0.2 to 0.4 ms. A profile: 1 ms with few stacks, 50 ms with 20 000, the
///   most that are written one by one (the rest is one line); once 0.1 us for each symbol of the
///   modules, to look up functions. The blocks for the page: at most a twentieth of a processor,
///   however many look.
[[nodiscard]] MEMPROF_API response respond(request const& r);

/// Begins to collect the stacks of sampled blocks, for the rest of the process; a second call does
/// nothing. Uses the one profile (memprof/sampling.hpp): `memprof::start` then refuses others.
///
/// \param rate of the profile; nullopt: the process's, or the default rate while that is 0.
/// \throws std::logic_error if a profile of yours samples.
/// \throws not_active if nothing feeds the sampler.
/// \note Cost: a stack for each sample: some 2 us for each 80 kB allocated at the default rate; at
///   most 64 MiB for stacks and 6 MiB for their sums. When three quarters are taken, stacks that
///   have no live block make room: what they had allocated is summed without its stack. For the
///   page 64 bytes for each live sampled block, at most 17 MB, beyond which half of all samples go
///   there, as often as needed; once it was opened, 9 MB for the last 131072 that were freed.
MEMPROF_API void collect_stacks(std::optional<sampling_rate> rate = std::nullopt);

/// Where the page is that `/debug/memprof/` answers with. Otherwise it is looked for where the
/// environment variable MEMPROF_PAGE says; if that is not set, as share/memprof/viewer.html of the
/// prefix in which the program (or libmemprof-serve.so) is installed, and of that for which memprof
/// was built. It comes with the command memprof.
///
/// \param path "": as if it had not been called.
/// \note Threads: any. The file is read for each request of the page.
MEMPROF_API void set_page_file(std::string path);

namespace detail {
struct publication;
}

/// Keeps what was published on the page of metrics until it is destroyed, which waits for a page
/// that is being written.
class MEMPROF_API published {
 public:
  published(published&&) noexcept = default;
  published& operator=(published&& other) noexcept;
  ~published();

 private:
  friend published publish(std::string, budget const&, limits const&);
  friend published publish(std::function<void(metrics&)>);
  explicit published(std::shared_ptr<detail::publication> entry) noexcept;

  std::shared_ptr<detail::publication> entry_;
};

/// Shows the use of a budget on the page of metrics: what it allocated, what of it is live, and of
/// `limits` the two amounts.
///
/// \throws std::invalid_argument if a budget of this name is published.
/// \note Threads: any. The budget must outlive the handle.
[[nodiscard]] MEMPROF_API published publish(std::string name, budget const& b,
                                            limits const& l = {});

/// Adds families of your own to the page.
///
/// \note `families` is called for each page, on the thread that asks for it. It may allocate, lock
///   and throw; what it throws leaves out its families and is counted.
[[nodiscard]] MEMPROF_API published publish(std::function<void(metrics&)> families);

}  // namespace memprof::inline v0::serve
