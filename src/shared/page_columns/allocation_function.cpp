// SPDX-License-Identifier: MIT
#include "page_columns/allocation_function.hpp"

#include <algorithm>
#include <array>

namespace memprof::page_columns {
namespace {

using namespace std::string_view_literals;

constexpr std::array plain{"malloc"sv,       "calloc"sv,         "realloc"sv,
                           "reallocarray"sv, "posix_memalign"sv, "aligned_alloc"sv,
                           "memalign"sv,     "valloc"sv,         "pvalloc"sv};

// Each a template of which `allocate` is a member. libstdc++, its older names, libc++.
constexpr std::array allocators{
    "std::__new_allocator<"sv,      "__gnu_cxx::new_allocator<"sv,  "std::allocator<"sv,
    "std::allocator_traits<"sv,     "__gnu_cxx::__alloc_traits<"sv, "std::__1::allocator<"sv,
    "std::__1::allocator_traits<"sv};

constexpr std::array libraries{"std::"sv, "__gnu_cxx::"sv, "memprof::override::"sv};

/// The end of the template's name whose arguments begin after `name`'s first `<`, past its `>`.
std::size_t end_of_arguments(std::string_view name) noexcept {
  int depth = 0;
  for (std::size_t i = name.find('<'); i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>' && --depth == 0) return i + 1;
  }
  return name.size();
}

/// `rest` begins with `wanted`, and after it come parameters or nothing.
bool is_function(std::string_view rest, std::string_view wanted) noexcept {
  if (!rest.starts_with(wanted)) return false;
  rest.remove_prefix(wanted.size());
  return rest.empty() || rest.front() == '(';
}

}  // namespace

bool is_allocation_function(std::string_view name) noexcept {
  const auto is = [&](std::string_view wanted) { return is_function(name, wanted); };
  if (is("operator new") || is("operator new[]")) return true;
  if (std::any_of(plain.begin(), plain.end(), is)) return true;
  return std::any_of(allocators.begin(), allocators.end(), [&](std::string_view start) {
    return name.starts_with(start) &&
           is_function(name.substr(end_of_arguments(name)), "::allocate");
  });
}

bool is_library_function(std::string_view name) noexcept {
  return std::any_of(libraries.begin(), libraries.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace memprof::page_columns
