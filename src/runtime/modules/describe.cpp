// SPDX-License-Identifier: MIT
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <string>

#include "memprof/callstack.hpp"

#include "modules/code_location.hpp"

namespace memprof::inline v0 {
namespace {

std::string hexadecimal(std::uintptr_t n) {
  char digits[2 * sizeof n];
  auto const end = std::to_chars(digits, digits + sizeof digits, n, 16).ptr;
  return "0x" + std::string(digits, end);
}

}  // namespace

std::string describe(void const* return_address) {
  const int saved_errno = errno;
  // Of the call: the address that follows it may be another function's.
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  modules::code_location location;
  if (return_address != nullptr) location = modules::locate(address);
  std::string text;
  if (location.module.empty()) {
    text = hexadecimal(reinterpret_cast<std::uintptr_t>(return_address));
  } else {
    text = location.module + '+' + hexadecimal(location.offset);
    if (!location.function.empty()) {
      text = location.function + '+' + hexadecimal(location.function_offset) + " (" + text + ')';
    }
  }
  errno = saved_errno;
  return text;
}

}  // namespace memprof::inline v0
