// SPDX-License-Identifier: MIT
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "memprof/callstack.hpp"

#include "modules/code_location.hpp"

namespace memprof::inline v0 {
namespace {

std::string hexadecimal(std::uintptr_t n) {
  char digits[2 * sizeof n];
  auto const end = std::to_chars(digits, digits + sizeof digits, n, 16).ptr;
  return "0x" + std::string(digits, end);
}

/// Of the call: the address that follows it may be another function's.
modules::code_location location_of_call(void const* return_address) {
  if (return_address == nullptr) return {};
  return modules::locate(reinterpret_cast<std::uintptr_t>(return_address) - 1);
}

std::string as_text(modules::code_location const& location, void const* return_address) {
  if (location.module.empty()) return hexadecimal(reinterpret_cast<std::uintptr_t>(return_address));
  std::string text = location.module + '+' + hexadecimal(location.offset);
  if (location.function.empty()) return text;
  return location.function + '+' + hexadecimal(location.function_offset) + " (" + text + ')';
}

}  // namespace

std::string describe(void const* return_address) {
  const int saved_errno = errno;
  std::string text = as_text(location_of_call(return_address), return_address);
  errno = saved_errno;
  return text;
}

std::string describe_origin(std::span<void* const> callstack) {
  const int saved_errno = errno;
  std::string innermost;
  for (void const* const frame : callstack) {
    const modules::code_location location = location_of_call(frame);
    std::string text = as_text(location, frame);
    if (!location.of_library) {
      innermost = std::move(text);
      break;
    }
    if (innermost.empty()) innermost = std::move(text);
  }
  errno = saved_errno;
  return innermost;
}

}  // namespace memprof::inline v0
