// SPDX-License-Identifier: MIT
#include "delivery/decide/caught_exceptions.hpp"

#include <cstdint>
#include <cstring>

#include "base/base.hpp"

namespace memprof::delivery {
namespace {

// The head of the runtimes' __cxa_eh_globals, the same in both.
struct exception_globals {
  unsigned char const* caught;
  unsigned uncaught;
};

// An exception class names vendor and language: "GNUCC++" or "CLNGC++", and a byte that is 1 for a
// dependent exception (std::exception_ptr). It is the first word of the unwinder's header, which
// stands at another place in each runtime.
constexpr std::uint64_t class_of(char const (&name)[8]) noexcept {
  std::uint64_t value = 0;
  for (int i = 0; i < 7; ++i) value = value << 8 | static_cast<unsigned char>(name[i]);
  return value << 8;
}
constexpr int place_in_libstdcxx = 80;
constexpr int place_in_libcxxabi = 96;

bool is_at(unsigned char const* exception, int place, std::uint64_t name) noexcept {
  std::uint64_t value;
  std::memcpy(&value, exception + place, sizeof value);
  return (value & ~std::uint64_t{0xff}) == name;
}

}  // namespace

bool holds_foreign_exception() noexcept {
  auto const* const globals =
      reinterpret_cast<exception_globals const*>(abi::__cxa_get_globals_fast());
  if (globals == nullptr || globals->caught == nullptr) return false;
  return !is_at(globals->caught, place_in_libstdcxx, class_of("GNUCC++")) &&
         !is_at(globals->caught, place_in_libcxxabi, class_of("CLNGC++"));
}

}  // namespace memprof::delivery
