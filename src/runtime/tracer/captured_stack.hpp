// SPDX-License-Identifier: MIT
/// \file
/// The stack of an event, on the thread where it happens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "callstack/callstack.hpp"
#include "tracer/stack_scratch.hpp"

namespace memprof::tracer {

extern constinit stack_scratch scratch;

/// Frames, innermost first, until its destruction.
class captured_stack {
 public:
  /// The innermost `most` frames above `frame`; see `callstack::capture`.
  captured_stack(void const* frame, std::size_t most) noexcept
      : frames_(callstack::capture(near_, most, frame,
                                   {.get = [](void* at) noexcept -> std::span<std::uintptr_t> {
                                      const std::size_t borrowed = scratch.borrow();
                                      *static_cast<std::size_t*>(at) = borrowed;
                                      if (borrowed == stack_scratch::buffers) return {};
                                      return scratch.at(borrowed);
                                    },
                                    .context = &buffer_})) {}
  ~captured_stack() {
    if (buffer_ != stack_scratch::buffers) scratch.give_back(buffer_);
  }
  captured_stack(captured_stack const&) = delete;
  captured_stack& operator=(captured_stack const&) = delete;

  [[nodiscard]] std::span<std::uintptr_t const> frames() const noexcept { return frames_; }

 private:
  std::array<std::uintptr_t, 64> near_;
  std::size_t buffer_ = stack_scratch::buffers;
  std::span<std::uintptr_t const> frames_;
};

}  // namespace memprof::tracer
