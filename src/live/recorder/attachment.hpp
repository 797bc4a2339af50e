// SPDX-License-Identifier: MIT
/// \file
/// The recorder's side of attaching to a running program: `memprof record --pid`. The program's is
/// tracer/attachment.hpp; relay/attach_request.hpp draws what they say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <sys/types.h>

#include "recorder/followed_process.hpp"
#include "recorder/process_facts.hpp"
#include "recorder/process_memory.hpp"

namespace memprof::recorder {

///  - `rate`: in (0, 1].
///  - `callstack_size`: frames.
///  - `children`: forked children are recorded, too.
///  - `despite_filter`: also a process with a seccomp filter, which may kill it at our calls.
struct attach_wish {
  double rate = 0.0;
  std::uint32_t callstack_size = 0;
  bool children = false;
  bool despite_filter = false;
};

///  - `what()`: a sentence: why this process cannot be recorded, and what to do instead.
class cannot_attach : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class attached_state { recorded, process_ended, other_program, left };

/// Asks a process to push what it samples into memory that both share. A process answers at its
/// next event, so it may take as long as it does not allocate.
class attachment {
 public:
  /// \throws cannot_attach if it refuses.
  attachment(pid_t process, attach_wish const& wish);
  /// Withdraws what was asked; the process goes on without.
  ~attachment();
  attachment(attachment const&) = delete;
  attachment& operator=(attachment const&) = delete;

  /// Whether the process has answered, and pushes. To be asked every 20 ms at most: a thread of the
  /// process waits for half a second at most.
  ///
  /// \throws cannot_attach if it refused, or has ended.
  bool answered();

  /// The memory, once it has answered; the caller closes it.
  [[nodiscard]] int take_descriptor() noexcept;
  [[nodiscard]] pid_t process() const noexcept { return process_; }
  /// Microseconds that the process had run when it was asked.
  [[nodiscard]] std::uint64_t age() const noexcept { return age_of(facts_); }

  /// What has become of it.
  attached_state now();

  /// When the shared memory is closed: the process looks there at its next event, and unmaps it.
  void release() noexcept;

 private:
  void find_request();
  void check_request() const;
  void ask();
  template <class T>
  T field(std::size_t offset) const;
  [[noreturn]] void report_refusal() const;
  bool accept();

  pid_t process_;
  attach_wish wish_;
  process_facts facts_;
  followed_process followed_;
  process_memory memory_;
  std::uintptr_t request_ = 0;  ///< in the process
  std::uint64_t cookie_;
  int descriptor_ = -1;
  bool recorded_ = false;  ///< it has answered
  int asked_ = 0;          ///< how often
};

}  // namespace memprof::recorder
