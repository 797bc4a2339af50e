// SPDX-License-Identifier: MIT
/// \file
/// What the tests of the tracer share: files, traces as the tests look at them, and children.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "memprof/trace/info.hpp"
#include "memprof/tracing.hpp"

namespace memprof::test {

/// A folder that is gone at the end.
class folder {
 public:
  folder();
  ~folder();
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  [[nodiscard]] std::string file(std::string const& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  std::filesystem::path path_;
};

/// Blocks of the tests have lengths that nothing else has, so that at rate 1 they can be counted
/// among all that the process allocates.
constexpr bool is_marked(std::uint64_t words) noexcept {
  return (words >= 200 && words < 232) || (words >= 5000 && words < 5032);
}

/// The marked blocks of a trace. Reading it checks that times do not go back, that ids are new, and
/// that each object is allocated, then promoted (minor ones, once), then collected (once): `error`.
struct traced {
  std::string error;  ///< empty: none
  trace::info info;
  std::uint64_t events = 0;
  std::uint64_t samples = 0;  ///< of all blocks
  std::uint64_t minor = 0, major = 0, external = 0, promoted = 0, collected = 0;
  std::uint64_t words = 0;
  std::uint64_t marked_samples = 0;
  std::size_t deepest = 0;                     ///< frames
  std::map<std::string, std::uint64_t> names;  ///< defnames, with the blocks whose stack has them
  std::vector<std::string> notices;

  [[nodiscard]] std::uint64_t blocks() const { return minor + major + external; }
};
traced read_trace(std::string const& file);

/// Allocates marked blocks and gives them back: `minor` small and `major` large ones.
void allocate_marked(int minor, int major = 0);

/// How a child ended: its exit status, or minus the signal. `said`: its standard error.
struct ended {
  int status;
  std::string said;
};
/// Runs `f` in a forked child, and _exit(0) after it.
ended in_child(std::function<void()> const& f);

}  // namespace memprof::test
