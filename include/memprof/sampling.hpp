// SPDX-License-Identifier: MIT
/// \file
/// Profiles: the library calls your functions for a sample of all allocated blocks.
///
///     std::atomic<std::size_t> live{0};  // samples in blocks that are not freed
///     auto track = [&](memprof::allocation const& a) {
///       live += a.n_samples;
///       return std::optional{a.n_samples};
///     };
///     memprof::profile p = memprof::start(memprof::sampling_rate{1e-4},
///         memprof::tracker<std::size_t, std::size_t>{
///             .alloc_minor = track,
///             .alloc_major = track,
///             .promote = [](std::size_t n) { return std::optional{n}; },
///             .dealloc_minor = [&](std::size_t n) { live -= n; },
///             .dealloc_major = [&](std::size_t n) { live -= n; }});
///     work();
///     auto live_words = live * 10'000;  // estimate, for the blocks allocated since the start
///     p.stop();
///
/// The interface of OCaml's Gc.Memprof. Every word is a sample with probability `rate`,
/// independently of the others. A block that has at least one sample is reported to the tracker,
/// and n_samples / rate estimates the words allocated. At rate 1 every block is reported, and every
/// word of it is a sample. The rate is the profile's own: limits and traces count at theirs.
///
/// The functions of a tracker run inside the program's own new, malloc, delete and free, on the
/// calling thread:
///  - `alloc_*` runs before the block is handed out, `dealloc_*` before its memory is given back,
///    `promote` at a later allocation of the thread that allocated the block, or when that thread
///    exits. For one block they run one after another; for different blocks several threads may
///    run them at once.
///  - They may allocate, free, lock and throw. What a thread allocates in them is neither counted
///    nor sampled, and limits do not interrupt it. They never run inside each other: if one frees a
///    block of the profile, that block's `dealloc_*` runs after the function has returned. Thread
///    cancellation waits. They must not end the thread, nor take a lock that code holds while it
///    allocates.
///  - An exception that leaves one is kept (`profile::failure`), and its block is forgotten: no
///    function is called for it again. No exception escapes into the program's malloc or new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "memprof/callstack.hpp"
#include "memprof/detail/export.hpp"
#include "memprof/detail/owned_function.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

/// Where a block came from: operator new, the malloc family, a `memory_resource` or `allocator`
/// that allocates where the replacement does not see it, or an `external` report.
enum class allocation_source : std::uint8_t { operator_new, malloc, resource, external };

/// A sampled allocation, as alloc_minor and alloc_major see it.
///
///  - `n_samples`: at least 1.
///  - `size`: of the block, rounded up to words. In a block of w words w + 1 may be samples: its
///    header counts, as in OCaml.
///  - `callstack`: return addresses, innermost first, beginning with the program's call of new,
///    malloc or `allocate`. Valid until the function returns.
struct allocation {
  std::size_t n_samples;
  words size;
  allocation_source source;
  std::span<void* const> callstack;
  std::uint32_t labels = 0;  ///< of the thread or task: memprof/label.hpp; 0: none
};

/// The functions to call for sampled blocks. One that is not set does nothing: without alloc_minor
/// minor blocks are not tracked; without promote they are forgotten when they are promoted.
///
/// Minor and Major are your data for a block while it lives: any type that can be moved. Up to 32
/// bytes are kept in tables outside the heap, more in a heap block.
///
///  - `alloc_minor`, `alloc_major`: a block of up to 256 counted words, or of more, was allocated.
///    What it returns is kept for the block; nullopt: the block is forgotten.
///  - `promote`: a minor block is still live after its thread has allocated a nursery's worth
///    (`set_nursery`), or when its thread exits. Takes the block's Minor and returns its Major;
///    nullopt: it is forgotten.
///  - `dealloc_minor`, `dealloc_major`: the block is freed, before or after its promotion.
template <class Minor, class Major>
struct tracker {
  detail::owned_function<std::optional<Minor>(allocation const&)> alloc_minor = {};
  detail::owned_function<std::optional<Major>(allocation const&)> alloc_major = {};
  detail::owned_function<std::optional<Major>(Minor)> promote = {};
  detail::owned_function<void(Minor)> dealloc_minor = {};
  detail::owned_function<void(Major)> dealloc_major = {};
};

/// A tracker that tracks nothing: `start(rate, null_tracker)`.
struct null_tracker_t {};
inline constexpr null_tracker_t null_tracker{};

///  - `callstack_size`: how many innermost frames of a call stack to keep, at most 4096. nullopt:
///    `callstack_depth()` when the profile is started. 0: no stacks are taken.
struct profile_options {
  std::optional<std::size_t> callstack_size = {};
};

namespace detail {
class tracker_functions;
struct profile_session;
}  // namespace detail

/// A profile that was started: first it samples, then it is stopped, then discarded.
///
/// Members may be called from any thread and from the tracker's own functions, but not while the
/// handle is being moved or destroyed.
class MEMPROF_API profile {
 public:
  profile(profile&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
  profile& operator=(profile&& other) noexcept {
    std::swap(session_, other.session_);
    return *this;
  }
  profile(profile const&) = delete;
  profile& operator=(profile const&) = delete;
  /// Stops and discards, if that was not done before: afterwards no function of the tracker is
  /// called.
  ~profile();

  /// Takes no new blocks; promotions and frees of tracked ones are reported until `discard`.
  /// Afterwards another profile may be started.
  /// \throws std::logic_error if the profile is not sampling.
  void stop();

  /// Forgets all blocks, and destroys their data and the tracker, all on this thread. Waits until
  /// other threads have left the tracker's functions. Called from inside one of those it does not
  /// wait, and the last thread to leave them destroys the tracker.
  /// \throws std::logic_error if the profile is still sampling or was discarded before.
  void discard();

  /// Whether it was started and not stopped.
  [[nodiscard]] bool is_sampling() const noexcept;

  /// How many exceptions have left the tracker's functions, and the first of them (null if none).
  [[nodiscard]] std::uint64_t failures() const noexcept;
  [[nodiscard]] std::exception_ptr failure() const noexcept;

 private:
  friend profile start_profile(sampling_rate, std::unique_ptr<detail::tracker_functions>,
                               profile_options);
  explicit profile(detail::profile_session* session) noexcept : session_(session) {}

  detail::profile_session* session_;
};

/// `start`, with the tracker's types erased.
MEMPROF_API profile start_profile(sampling_rate rate,
                                  std::unique_ptr<detail::tracker_functions> functions,
                                  profile_options options);

/// Starts to sample all threads at `rate`. One profile samples at a time in a process.
///
/// This thread samples at the rate at once, a thread that begins later from its first allocation,
/// any other after at most 8 MiB more. Only blocks allocated afterwards are reported.
///
/// \param rate 0: the profile is started, but nothing is ever sampled.
/// \throws std::logic_error if a profile is sampling.
/// \throws std::invalid_argument for a call stack of more than 4096 frames.
/// \throws not_active if nothing feeds the sampler.
/// \throws std::bad_alloc without memory.
template <class Minor, class Major>
[[nodiscard]] profile start(sampling_rate rate, tracker<Minor, Major> functions,
                            profile_options options = {});
template <class Minor, class Major>
[[nodiscard]] profile start(sampling_rate rate, tracker<Minor, Major> functions,
                            std::size_t callstack_size);
[[nodiscard]] inline profile start(sampling_rate rate, null_tracker_t,
                                   profile_options options = {});
[[nodiscard]] inline profile start(sampling_rate rate, null_tracker_t, std::size_t callstack_size);

}  // namespace memprof::inline v0

#include "memprof/detail/tracker_functions.hpp"  // IWYU pragma: export
