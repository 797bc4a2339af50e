// SPDX-License-Identifier: MIT
/// \file
/// Stalls for lack of memory, as the kernel counts them (PSI).
#pragma once

#include <filesystem>
#include <string>

namespace memprof::tools {

/// Asks the kernel to say when some process waited for memory for a tenth of the time.
///
/// \see the kernel's documentation, accounting/psi.rst. A window of a second needs
///   CAP_SYS_RESOURCE; without it, the window is of 2 s.
class stall_trigger {
 public:
  /// \param file /proc/pressure/memory, or memory.pressure of a control group.
  explicit stall_trigger(std::filesystem::path const& file);
  ~stall_trigger();
  stall_trigger(stall_trigger const&) = delete;
  stall_trigger& operator=(stall_trigger const&) = delete;

  /// Whether that was so since the last call. Once for each window at most. Waits for nothing.
  [[nodiscard]] bool fired();
  /// "/proc/pressure/memory: Permission denied"; empty: it is watched.
  [[nodiscard]] std::string const& why_not() const noexcept { return why_not_; }

 private:
  int descriptor_ = -1;
  std::string why_not_;
};

}  // namespace memprof::tools
