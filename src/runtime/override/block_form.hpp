// SPDX-License-Identifier: MIT
/// \file
/// By which function a block was allocated, and what the one that frees it says of it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memprof::override {

enum class block_form : std::uint8_t { malloc, single_new, array_new };

/// What a call that frees a block promises. Guarded blocks (guarded_blocks.hpp) are compared with
/// it.
struct release {
  static constexpr std::size_t unknown_size = ~std::size_t{0};

  block_form form = block_form::malloc;
  std::size_t size = unknown_size;  ///< bytes that were asked for, where the caller says so
  char const* caller = "free";      ///< the function's name, for messages
};

}  // namespace memprof::override
