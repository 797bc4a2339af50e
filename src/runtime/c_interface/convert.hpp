// SPDX-License-Identifier: MIT
/// \file
/// Between the structures of memprof/memprof.h and what C++ has for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "memprof/limits.hpp"
#include "memprof/memprof.h"

namespace memprof::c_interface {

/// No version will have larger ones: what says so was not initialised.
inline constexpr std::size_t most_size = 4096;

/// A structure of the caller, which may be older or newer than this library: what it lacks is as in
/// `fresh`. What it has beyond must be zero, which means "as if it were not there".
/// \throws std::invalid_argument if it is not.
template <class T>
T read(T const& given, T fresh) {
  const std::size_t size = given.size;
  if (size < sizeof(std::size_t) || size > most_size) {
    throw std::invalid_argument("a structure has no size: begin with memprof_no_limits");
  }
  auto const* const bytes = reinterpret_cast<unsigned char const*>(&given);
  if (std::any_of(bytes + std::min(size, sizeof(T)), bytes + size,
                  [](unsigned char b) { return b != 0; })) {
    throw std::invalid_argument("a structure asks for what this version of memprof does not know");
  }
  std::memcpy(&fresh, &given, std::min(size, sizeof(T)));
  return fresh;
}

/// To a structure of the caller, as much as that has.
template <class T>
void write(T& to, T result) {
  result.size = to.size;
  std::memcpy(&to, &result, std::min(result.size, sizeof(T)));
}

/// \throws std::invalid_argument for an enumerator that there is not.
memprof::limits limits_of(memprof_limits const& given);

memprof_estimate estimate_of(memprof::estimate const& e) noexcept;

/// What a task came to, in `to`, which may be null.
int report(memprof::detail::run_report const& r, memprof_error* to) noexcept;
/// Why nothing was done.
int refuse(int status, std::string_view why, memprof_error* to) noexcept;

/// `f()`, which returns a status; or that of what it throws, which is not a task's.
template <class F>
int guarded(memprof_error* error, F f) noexcept {
  try {
    return f();
  } catch (not_active const& e) {
    return refuse(MEMPROF_NOT_ACTIVE, e.what(), error);
  } catch (std::logic_error const& e) {
    return refuse(MEMPROF_INVALID, e.what(), error);
  } catch (std::bad_alloc const&) {
    return refuse(MEMPROF_NO_MEMORY, "there is no memory", error);
  } catch (std::exception const& e) {
    return refuse(MEMPROF_SYSTEM_ERROR, e.what(), error);
  }
}

}  // namespace memprof::c_interface
