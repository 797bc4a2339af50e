// SPDX-License-Identifier: MIT
/// \file
/// The exception that a limit raises (`limit_exceeded`), the error that its caller gets
/// (`interrupted`), and misuse (`not_active`).
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "memprof/detail/export.hpp"
#include "memprof/explanation.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// Which limit fired.
enum class limit_kind : std::uint8_t { allocations, memory, global_memory, token, deadline };

/// All of them, in the order of the enumeration.
inline constexpr std::array all_limit_kinds{limit_kind::allocations, limit_kind::memory,
                                            limit_kind::global_memory, limit_kind::token,
                                            limit_kind::deadline};

/// "allocations", "memory", "global memory", "token", "deadline".
[[nodiscard]] MEMPROF_API std::string_view to_string(limit_kind kind) noexcept;

/// The interrupt: the exception that a limit raises inside the task.
///
/// It is a `std::bad_alloc`, because it leaves `operator new`, and code has always had to survive
/// that. Let it pass, and do not catch it by type: another exception may replace it on its way, and
/// the limit function knows by a flag of its own whether the limit was hit. Building, copying and
/// reading it allocates nothing.
class MEMPROF_API limit_exceeded final : public std::bad_alloc {
 public:
  explicit limit_exceeded(limit_kind kind) noexcept : kind_(kind) {}
  [[nodiscard]] limit_kind kind() const noexcept { return kind_; }
  [[nodiscard]] char const* what() const noexcept override;

 private:
  limit_kind kind_;
};

/// Thrown by every limit function if nothing feeds the sampler: the replacement of operator new and
/// malloc is not linked in (`memprof::memprof`), and there is no `memory_resource`, `allocator` or
/// `external`; or the thread is muted, in a callback. What cannot fire must not look like a limit.
class MEMPROF_API not_active : public std::logic_error {
 public:
  explicit not_active(char const* function);
};

class interrupted;

namespace detail {

/// The data of an `interrupted`, as the library fills it in.
struct interrupt_record {
  limit_kind kind{};
  std::int64_t limit = 0;      ///< bytes; for a deadline nanoseconds
  std::int64_t measured = 0;   ///< in the same unit
  std::int64_t asked = 0;      ///< bytes, of the request that was not granted
  std::int64_t overshoot = 0;  ///< bytes
  std::uint64_t deliveries = 0;
  std::uint64_t deferrals = 0;
  std::uint64_t refusals = 0;
  char const* reason = nullptr;         ///< of the token
  char const* last_deferral = nullptr;  ///< why the last deferral
  void const* last_place = nullptr;     ///< where; null if no code was the reason
  bool started = true;                  ///< the task was run
  std::optional<std::uint64_t> seed{};  ///< of the samples that decided, if samples did
  std::shared_ptr<explanation const> why{};
  std::exception_ptr exception;
};

interrupted make_interrupted(interrupt_record record) noexcept;

}  // namespace detail

/// The error of a limit function: this limit was hit in this task.
///
/// A value, cheap to move. For reports it holds which limit fired, the amounts, and how often the
/// interrupt was raised or deferred.
class MEMPROF_API interrupted {
 public:
  /// The limit that fired; of several, the first.
  [[nodiscard]] limit_kind kind() const noexcept { return record_.kind; }
  /// The amount allowed. Zero for a token or a deadline.
  [[nodiscard]] bytes limit() const noexcept;
  /// The amount when the limit fired, including the request that it fired for.
  [[nodiscard]] bytes measured() const noexcept;
  /// That request, if it was not granted; no other amount includes it then. Otherwise 0.
  [[nodiscard]] bytes refused_request() const noexcept { return bytes{record_.asked}; }
  /// What the task allocated on its thread from then until it ended: while the interrupt could not
  /// be raised, after it was swallowed, and in clean-ups. Frees are not credited.
  [[nodiscard]] bytes overshoot() const noexcept { return bytes{record_.overshoot}; }
  /// How often the interrupt was raised; more than 1 if the task swallowed it.
  [[nodiscard]] std::uint64_t deliveries() const noexcept { return record_.deliveries; }
  /// How often it was due at a place where it could not be raised.
  [[nodiscard]] std::uint64_t deferrals() const noexcept { return record_.deferrals; }
  /// How often malloc returned null instead (malloc_policy::refuse).
  [[nodiscard]] std::uint64_t refusals() const noexcept { return record_.refusals; }
  /// The reason of the last deferral, a literal ("under a noexcept function or destructor"); null
  /// if there was none.
  [[nodiscard]] char const* last_deferral() const noexcept { return record_.last_deferral; }
  /// An address in the function that caused the last deferral; null if none did.
  [[nodiscard]] void const* last_deferral_place() const noexcept { return record_.last_place; }
  /// The reason given to `token::set`; null if none.
  [[nodiscard]] char const* reason() const noexcept { return record_.reason; }
  /// The exception that left the task; null if it returned normally or was not run.
  [[nodiscard]] std::exception_ptr exception() const noexcept { return record_.exception; }
  /// False if the limit had been reached before the task began (a token that was set already).
  [[nodiscard]] bool started() const noexcept { return record_.started; }
  /// The seed of this process, if samples decided; nullopt for exact counts, tokens and deadlines.
  /// With `MEMPROF_SEED` set to it the same run is interrupted at the same place. It is not part of
  /// `message`, because anyone who knows it can predict the samples: log it, but do not show it to
  /// whoever provides the task.
  [[nodiscard]] std::optional<std::uint64_t> seed() const noexcept { return record_.seed; }
  /// The call stacks by which the task held most memory, or had allocated most, when the limit was
  /// hit: the largest first, at most `limits::explain`. An amount limit's count includes the
  /// request that hit it, and so do these. Of a `budget`, all its runs together. Empty unless asked
  /// for, and if there was no memory for them.
  [[nodiscard]] std::span<stack_amount const> live_stacks() const noexcept {
    if (record_.why == nullptr) return {};
    return record_.why->live;
  }
  [[nodiscard]] std::span<stack_amount const> allocated_stacks() const noexcept {
    if (record_.why == nullptr) return {};
    return record_.why->allocated;
  }
  /// One line for a log: the limit, the amounts, how the task ended, the function in which it could
  /// not be stopped, and where most of its memory came from, if `limits::explain` asks for that.
  [[nodiscard]] std::string message() const;

 private:
  friend interrupted detail::make_interrupted(detail::interrupt_record record) noexcept;
  explicit interrupted(detail::interrupt_record&& record) noexcept : record_(std::move(record)) {}

  detail::interrupt_record record_;
};

/// Only the library makes an `interrupted`.
inline interrupted detail::make_interrupted(interrupt_record record) noexcept {
  return interrupted(std::move(record));
}

}  // namespace memprof::inline v0
