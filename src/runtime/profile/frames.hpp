// SPDX-License-Identifier: MIT
/// \file
/// The call stack of a block, valid while the tracker's function runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace memprof::profiling {

/// Short stacks are kept on the thread's stack, which may be small; longer ones in other memory,
/// which is recycled and never freed. Without memory the stack is cut short.
class frames {
 public:
  /// The `most` innermost frames above `frame` (engine::new_block). None if `most` is 0.
  frames(std::size_t most, void const* frame) noexcept;
  ~frames();
  frames(frames const&) = delete;
  frames& operator=(frames const&) = delete;

  [[nodiscard]] std::span<void* const> taken() const noexcept { return taken_; }

 private:
  std::array<std::uintptr_t, 64> near_;
  std::uint32_t buffer_ = 0;
  std::span<void* const> taken_;
};

}  // namespace memprof::profiling
