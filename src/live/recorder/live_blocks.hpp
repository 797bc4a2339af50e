// SPDX-License-Identifier: MIT
/// \file
/// The sampled blocks that one process has in use now, by their stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <unordered_map>
#include <vector>

#include "memprof/trace/event.hpp"

#include "recorder/allocation_sums.hpp"
#include "recorder/process_sink.hpp"

namespace memprof::recorder {

/// Live memory as it is estimated: each sampled block by the inverse of the probability that it was
/// sampled (docs/statistical.md (17)).
///
///  - `variance`: the unbiased estimate of the value's variance.
struct live_amount {
  double bytes = 0;
  double variance = 0;
};

/// \note Memory: grows with the sampled blocks that live at once, and their different stacks.
class live_blocks final : public process_sink {
 public:
  /// \param with_sums of all allocations, too.
  /// \param visible the id is surely its own here, too.
  explicit live_blocks(pid_t process, bool with_sums = false, bool visible = true)
      : process_(process), visible_(visible) {
    if (with_sums) sums_.emplace();
  }

  void take(relay::popped_record const& r) noexcept override;
  void note(std::string const&, std::string const&) noexcept override {}
  void flush() noexcept override {}
  /// The blocks stay, so that one can say what it had in the end.
  void close() noexcept override { ended_ = true; }
  /// Gives their memory back.
  void forget() noexcept;
  [[nodiscard]] std::string const& failure() const noexcept override { return failure_; }
  [[nodiscard]] bool sampled() const noexcept override { return sampled_; }
  [[nodiscard]] std::uint64_t age() const noexcept override { return 0; }

  [[nodiscard]] pid_t process() const noexcept { return process_; }
  [[nodiscard]] bool visible() const noexcept { return visible_; }
  /// The file of the program that it runs; empty: it has not begun.
  [[nodiscard]] std::string const& program() const noexcept { return program_; }
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  /// Its main returned, or it called exit.
  [[nodiscard]] bool exit_began() const noexcept { return exit_began_; }
  /// Samples per word; 0 before it has begun.
  [[nodiscard]] double rate() const noexcept { return rate_; }
  /// Microseconds since 1970 at which it began.
  [[nodiscard]] std::uint64_t start_time() const noexcept { return start_time_; }
  [[nodiscard]] live_amount amount() const noexcept;
  /// Null: they are not kept.
  [[nodiscard]] allocation_sums const* sums() const noexcept { return sums_ ? &*sums_ : nullptr; }

  ///  - `length`: words without the header.
  ///  - `time`: microseconds since 1970 at which it was allocated.
  ///  - `backtrace`: codes, outermost first.
  struct block {
    std::uint64_t length = 0;
    std::uint64_t samples = 0;
    std::uint64_t time = 0;
    std::span<trace::location_code const> backtrace;
  };
  /// f(block) for each, in no order.
  template <class F>
  void for_each(F&& f) const {
    for (entry const& e : blocks_) {
      if (e.stack != nullptr) f(block{e.length, e.samples, e.time, e.stack->first});
    }
  }
  /// As code_names::locate.
  std::span<trace::location const> locate(trace::location_code code) { return names_.locate(code); }

 private:
  /// With the number of blocks that live. Nodes do not move.
  using stack_table = std::unordered_map<backtrace, std::size_t, backtrace_hash>;
  struct entry {
    stack_table::value_type* stack = nullptr;  ///< null: there is no such block
    std::uint64_t length = 0;
    std::uint64_t samples = 0;
    std::uint64_t time = 0;
    std::uint32_t row = 0;  ///< in `sums_`
  };

  void begin(relay::popped_record const& r);
  void allocation(relay::popped_record const& r);
  void remove(std::uint32_t tag) noexcept;
  [[nodiscard]] live_amount amount_of(std::uint64_t length) const noexcept;

  pid_t process_;
  bool visible_;
  std::string program_;
  std::string failure_;
  double rate_ = 0;
  std::uint64_t start_time_ = 0;
  bool sampled_ = false;
  bool ended_ = false;
  bool exit_began_ = false;
  records::module_table modules_;
  records::code_names names_{modules_};
  std::vector<entry> blocks_;  ///< by their tags
  std::size_t n_blocks_ = 0;
  std::size_t n_frames_ = 0;  ///< of `stacks_`
  stack_table stacks_;
  std::optional<allocation_sums> sums_;
  live_amount sum_;
  backtrace scratch_;
};

}  // namespace memprof::recorder
