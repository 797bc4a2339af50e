// SPDX-License-Identifier: MIT
//
// describe_raw(): as describe(), but without allocating, and names as the linker has them.
#include "modules/raw_location.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "memprof/callstack.hpp"

#include "support/catch2.hpp"

namespace {

extern "C" [[gnu::noinline]] void* memprof_test_described() {
  void* const address = __builtin_return_address(0);
  asm volatile("" ::: "memory");
  return address;
}

extern "C" [[gnu::noinline]] void* memprof_test_describes() {
  void* const address = memprof_test_described();
  asm volatile("" ::: "memory");
  return address;
}

std::string raw(void const* return_address) {
  std::array<char, 1000> text;
  memprof::modules::describe_raw(reinterpret_cast<std::uintptr_t>(return_address) - 1, text);
  return text.data();
}

TEST_CASE("describe_raw: a function of the program and of a library, as describe() has it") {
  void* const here = memprof_test_describes();
  CHECK(raw(here).starts_with("memprof_test_describes+0x"));
  CHECK(raw(here) == memprof::describe(here));
  void* const in_getenv =
      reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&std::getenv) + 1);
  CHECK(raw(in_getenv).find("libc.so") != std::string::npos);
  CHECK(raw(in_getenv) == memprof::describe(in_getenv));
}

TEST_CASE("describe_raw: what is in no module") {
  int local = 0;
  CHECK(raw(&local).starts_with("0x"));
  CHECK(raw(&local).find('+') == std::string::npos);
}

TEST_CASE("describe_raw: cut to the buffer") {
  std::array<char, 10> text;
  text.fill('x');
  const auto here = reinterpret_cast<std::uintptr_t>(memprof_test_describes());
  memprof::modules::describe_raw(here - 1, std::span{text}.first(5));
  CHECK(std::strcmp(text.data(), "memp") == 0);
  CHECK(text[5] == 'x');
}

}  // namespace
