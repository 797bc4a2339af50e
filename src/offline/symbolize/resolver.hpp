// SPDX-License-Identifier: MIT
/// \file
/// Resolves the raw locations of memprof's own traces to functions, files and lines.
///
/// A raw location names code by module and address, because nothing is looked up while a program
/// is traced:
///
///     filename    the module's path: "/usr/lib/libfoo.so.1"
///     defname     "BASENAME+0xADDR@BUILDID": ADDR is the address of the call in the module as it
///                 was linked, BUILDID the first 16 hexadecimal digits of its build id; a module
///                 without one has no "@BUILDID".
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memprof/trace/event.hpp"

namespace memprof::symbolize {

/// As in trace::info.
using file_time = std::chrono::sys_time<std::chrono::microseconds>;

///  - `debug_directories`: where separate debug files are looked for.
///  - `sysroot`: put before the paths of modules and debug directories; empty: none.
///  - `inlines`: false: the function that was compiled, without those inlined into it.
///  - `shorten`: names for people: see short_name.hpp.
///  - `arguments`: with `shorten`: keep the types of the arguments.
///  - `debuginfod`: debug information that is not on this machine is fetched from the servers that
///    DEBUGINFOD_URLS names (debuginfod.hpp).
///  - `by_function`: code of which nothing is known is named by where its function begins, not by
///    the call: "BASENAME+0xADDR@BUILDID" is then the same in all of a function.
struct resolver_options {
  std::vector<std::filesystem::path> debug_directories{"/usr/lib/debug"};
  std::filesystem::path sysroot;
  bool inlines = true;
  bool shorten = true;
  bool arguments = false;
  bool debuginfod = false;
  bool by_function = false;
};

/// Resolves raw locations. Modules are opened when first met, their debug information is read unit
/// by unit as addresses need it, and answers are kept. Uses the network if `debuginfod` is set.
///
/// What cannot be resolved (no such file, another build of it, nothing known of the address) stays
/// as it is, and so do locations that are not raw. No file is an error: irregularities become a
/// notice, one for each module.
///
///     symbolize::resolver names;
///     for (auto const& frame : names.resolve(trace.locations(code))) print(frame.defname);
///
/// \note Threads: one resolver belongs to one thread at a time.
class resolver {
 public:
  explicit resolver(resolver_options options = {});
  ~resolver();
  resolver(resolver&&) noexcept;
  resolver& operator=(resolver&&) noexcept;

  /// The positions of one code, outermost caller first: several where calls were inlined. `line`
  /// is 0 where the line is not known; the file is then the module's.
  ///
  /// \param since when the trace began: a module without a build id whose file is younger is
  ///   another. 0: that is not known.
  /// \return a span that lives as long as the resolver; or `raw` itself, if there is nothing in it
  ///   to resolve.
  /// \throws std::bad_alloc without memory.
  /// \note Cost: some 0.1 us for a repeated address, else some us; milliseconds for the first of a
  ///   large unit.
  std::span<trace::location const> resolve(std::span<trace::location const> raw,
                                           file_time since = {});

  /// Irregularities, in the order in which they were met.
  [[nodiscard]] std::span<std::string const> notices() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace memprof::symbolize
