// SPDX-License-Identifier: MIT
/// \file
/// What a function called from a landing pad may do, as far as its own code shows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/base.hpp"
#include "delivery/reader/call_target.hpp"
#include "delivery/reader/this_processor.hpp"

namespace memprof::delivery {

struct callee_facts {
  bool returns = false;     ///< or: not known
  bool terminates = false;  ///< it may call std::terminate
  bool throws = false;      ///< a new exception may leave it
  bool rethrows = false;    ///< the one being handled may leave it
  bool exits = false;       ///< it may end the process otherwise
  bool unclear = false;     ///< it may longjmp and the like, or was too long to read
};

/// Reads functions along their ordinary code, both sides of each branch, and the functions that
/// these call. It does not enter their landing pads: what counts is what they do if nothing throws
/// inside of them.
///
/// It reads three calls deep, and destructors six, because unoptimised code nests; but two if that
/// is too much to read. It takes for granted that what lies deeper, in other modules, or behind
/// pointers returns.
///
/// Large: lives in `frame_scratch`.
class callee_reader {
 public:
  /// Forgets what was read before; to be called before the first use for a frame.
  void reset() noexcept;

  /// \param cleanup destructors are read deeper than what a handler calls: any code.
  callee_facts examine(module_code const& module, std::uintptr_t function, bool cleanup) noexcept;

 private:
  static constexpr unsigned deepest = 6;

  /// The places where reading goes on, each once.
  class trail {
   public:
    void reset() noexcept;
    /// False if there is no more room.
    bool add(std::uintptr_t address) noexcept;
    bool take(std::uintptr_t& address) noexcept { return next_.pop(address); }
    [[nodiscard]] bool contains(std::uintptr_t address) const noexcept {
      return seen_[find(address)] == key_of(address);
    }

   private:
    static constexpr std::size_t size = 2048;
    [[nodiscard]] std::uint64_t key_of(std::uintptr_t address) const noexcept {
      return std::uint64_t{generation_} << 32 | static_cast<std::uint32_t>(address);
    }
    /// Where it stands, or the free place where it would.
    [[nodiscard]] std::size_t find(std::uintptr_t address) const noexcept;

    // Open addressing. Generation in the upper half, what a module's addresses differ in in the
    // lower; those of other generations are free.
    std::array<std::uint64_t, size> seen_;
    base::bounded_list<std::uintptr_t, size / 2> next_;  // seen and not yet read
    std::uint32_t generation_;
    std::size_t seen_count_;
  };
  /// What `examine` found: a pad's paths call the same functions, and what has been read in part is
  /// forgotten when it was too long.
  struct examination {
    std::uintptr_t function;
    bool cleanup;
    callee_facts facts;
  };
  struct known_function {
    std::uintptr_t address;
    unsigned levels;  ///< how deep it has been read
    callee_facts facts;
  };

  bool read_all(module_code const& module, std::uintptr_t function, unsigned levels,
                unsigned instructions, callee_facts& facts) noexcept;
  callee_facts read(module_code const& module, std::uintptr_t function, unsigned levels) noexcept;
  void read_from(module_code const& module, std::uintptr_t at, unsigned levels,
                 callee_facts& facts) noexcept;
  bool goes_on_after_call(module_code const& module, call_target const& target, std::uintptr_t next,
                          unsigned levels, callee_facts& facts) noexcept;
  void transfer(module_code const& module, destination const& to, std::uintptr_t next,
                unsigned levels, callee_facts& facts) noexcept;
  known_function* remembered(std::uintptr_t function) noexcept;

  std::array<trail, deepest> trails_;
  std::array<processor::run_values, deepest> values_;
  base::bounded_list<known_function, 256> known_;
  base::bounded_list<examination, 64> examined_;
  unsigned instructions_left_;  // for the function being examined
  unsigned total_left_;         // for all of a frame
  bool cut_short_;              // something was left out for lack of room or instructions
};

}  // namespace memprof::delivery
