// SPDX-License-Identifier: MIT
/// \file
/// One process, and never another one that later has its id.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace memprof::recorder {

class followed_process {
 public:
  /// \param visible its id names it here, too; otherwise nothing is known of it.
  followed_process(pid_t process, bool visible) noexcept;
  ~followed_process();
  followed_process(followed_process&& other) noexcept;
  followed_process& operator=(followed_process&& other) noexcept;

  [[nodiscard]] pid_t process() const noexcept { return process_; }
  [[nodiscard]] bool visible() const noexcept { return visible_; }

  /// True once none of its threads runs any more.
  bool has_ended() noexcept;
  /// Nothing happens if it has ended, is not visible, or is init, this process or its parent.
  void signal(int number) noexcept;

 private:
  pid_t process_;
  bool visible_;
  bool ended_ = false;
  int descriptor_ = -1;
  std::uint64_t started_ = 0;  ///< instead of a descriptor
};

}  // namespace memprof::recorder
