// SPDX-License-Identifier: MIT
/// \file
/// A plain model of the limits, beside the program that runs: what each task was charged, what is
/// live, which limits must have been hit and which cannot have been.
///
/// What is not known exactly (another thread frees meanwhile, the C library allocates a thread) is
/// an interval. At a rate of 1 every word is a sample, so for most programs the intervals are
/// points.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "memprof/memprof.hpp"

#include "program.hpp"

namespace stress {

/// Writes what is wrong to standard error, and ends the process with status 1.
[[noreturn, gnu::format(printf, 1, 2)]] void fail(char const* format, ...);

/// Words or bytes, between two bounds.
struct amount {
  std::atomic<std::int64_t> low{0};
  std::atomic<std::int64_t> high{0};

  void add(std::int64_t n) noexcept {
    high.fetch_add(n);
    low.fetch_add(n);
  }
};

/// The live memory of a scope or budget, in words. Outlives it, as its blocks may.
using account = amount;

struct block {
  static constexpr int most_owners = 12;

  unsigned char* at = nullptr;
  std::int64_t size = 0;
  bool by_new = false;
  int owner_count = 0;
  std::array<account*, most_owners> owners{};

  [[nodiscard]] std::int64_t words() const noexcept { return (size + 7) / 8 + 1; }
};

/// A task under limits, or what changes where it can be interrupted.
///
/// scope       a limit function.
/// barrier     a noexcept function: no exception may pass.
/// handler     catches everything.
enum class frame_kind : std::uint8_t { scope, barrier, handler };

struct frame {
  frame_kind kind = frame_kind::scope;
  frame* outer = nullptr;
  // The limits of a scope, in bytes; -1: none.
  std::int64_t allocations = -1;
  std::int64_t memory = -1;
  bool exact = false;
  int token = -1;
  int budget = -1;
  bool time = false;
  bool global = false;

  std::int64_t low = 0;  ///< words counted by the task on its thread
  std::int64_t high = 0;
  account* live = nullptr;
  bool surely_hit = false;
  bool maybe_hit = false;
  bool obstructed = false;          ///< an interrupt was due where it could not be raised
  std::int64_t deliveries = 0;      ///< interrupts that may have been its own
  std::int64_t own_deliveries = 0;  ///< of these, those that were for sure
  std::int64_t delivered_at = 0;    ///< words at the latest
  std::int64_t token_seen_at = -1;  ///< words when its token was known to be set; -1: not yet
};

/// What a thread, or a fiber on it, is in.
struct context {
  frame* innermost = nullptr;
  int masks = 0;
  context* monitor = nullptr;  ///< of a fiber: who resumes it
  /// Scopes left by longjmp. Each may be noticed only when its interrupt is due, which then is not
  /// raised: the next one is.
  int passed_scopes = 0;
};

/// What all threads share.
struct shared_state {
  double rate = 1.0;
  bool alone = false;   ///< one thread at a time: what the model says is true at any moment
  bool forked = false;  ///< by a thread of several: the loader's lock may be held for ever
  std::array<std::atomic<bool>, tokens> token_may_be_set{};
  std::array<std::atomic<bool>, tokens> token_set{};  ///< for sure
  struct {
    budget_limits limits;
    amount words;
    account live;
    std::atomic<bool> maybe_hit{false};
    std::atomic<bool> inexact{false};  ///< the C library kept memory of it
    std::atomic<bool> unseen{
        false};  ///< it may have, or have had, memory that the model does not see
  } budget[budgets];
};
extern shared_state shared;

/// The token, or one that it descends from: for sure, and perhaps.
bool is_set(int token) noexcept;
bool may_be_set(int token) noexcept;

/// silent      malloc: nothing is raised here.
/// delivery    an interrupt that is due must be raised.
/// pause       one may be.
enum class point : std::uint8_t { silent, delivery, pause };

/// One request, or a cancellation point (0 words): charges it when it is created. Destroyed without
/// `granted`, it was interrupted: then somebody must have had a reason.
class request {
 public:
  /// owned       the block, whose owners are entered; null: none.
  request(context& c, std::int64_t words, point where, block* owned);
  ~request();
  request(request const&) = delete;
  request& operator=(request const&) = delete;

  /// It was granted. Fails if an interrupt was overdue.
  void granted();

 private:
  context& context_;
  std::int64_t words_;
  point where_;
  block* owned_;
  std::array<bool, tokens> set_before_{};
  bool granted_ = false;
};

/// The block is being freed, and was.
void begin_free(block const& b) noexcept;
void end_free(block const& b) noexcept;

/// Something in the library or the C library allocates at most so many words here, and may keep
/// them.
void allocates_unseen(context& c, std::int64_t words, bool kept);

/// Whether an exception of the program would be caught.
bool may_throw(context const& c) noexcept;

/// Judges the result of a scope that ended: an error, or a value.
void judge_error(frame const& f, memprof::interrupted const& error);
void judge_value(frame const& f);
/// words       the result says so.
void judge_allocated(frame const& f, memprof::bytes allocated);
/// An exception left it.
void judge_exception(frame const& f);

}  // namespace stress
