// SPDX-License-Identifier: MIT
#include "delivery/decide/unsafe_functions.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "delivery/decide/function_pattern.hpp"

namespace memprof::delivery {
namespace {

// In namespace scope: the text of unsafe_functions.txt, as a literal.
constexpr std::string_view list_text =
#include "memprof_unsafe_functions.inc"
    ;

constexpr std::size_t count_of_lines() noexcept {
  std::size_t count = 0;
  for (std::string_view rest = list_text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    if (end > 0 && rest[0] != '#') ++count;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return count;
}

/// What a pattern means: functions, or those of a module.
struct unsafe_code {
  function_pattern functions;
  std::string_view module;

  constexpr explicit unsafe_code(std::string_view text) noexcept
      : functions(pattern_of(text)), module(module_in(text)) {}
  constexpr unsafe_code() = default;
  [[nodiscard]] constexpr bool valid() const noexcept {
    return functions.count != 0 || !module.empty();
  }
};

constexpr auto compiled_in = [] {
  std::array<unsafe_code, count_of_lines()> patterns{};
  std::size_t count = 0;
  for (std::string_view rest = list_text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    if (end > 0 && rest[0] != '#') {
      patterns[count++] = unsafe_code(rest.substr(0, rest.find(" | ")));
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return patterns;
}();
static_assert(
    [] {
      for (unsafe_code const& c : compiled_in) {
        if (!c.valid()) return false;
      }
      return true;
    }(),
    "a line of unsafe_functions.txt begins with no pattern");

struct added_pattern {
  std::atomic<bool> made = false;  ///< publishes the rest, which never changes afterwards
  std::array<char, 200> text{};
  unsafe_code code;
  bool unsafe = true;  ///< false: what it matches is not
};
constexpr std::size_t most_added = 64;
constinit std::array<added_pattern, most_added> added;
constinit std::atomic<std::size_t> added_count{0};

/// The first part of a mangled name, or what stands where it would. Most names end here.
std::string_view first_part(std::string_view name) noexcept {
  std::size_t at = std::min<std::size_t>(2, name.size());
  while (at < name.size() && name[at] == 'Z') ++at;
  if (at < name.size() && name[at] == 'N') ++at;
  while (at < name.size() &&
         (name[at] == 'K' || name[at] == 'V' || name[at] == 'R' || name[at] == 'O')) {
    ++at;
  }
  if (name.substr(at).starts_with("St")) return "std";
  std::size_t length = 0;
  while (at < name.size() && name[at] >= '0' && name[at] <= '9' && length <= name.size()) {
    length = 10 * length + static_cast<std::size_t>(name[at++] - '0');
  }
  return name.substr(at, length);
}

/// The parts of a name, read when a pattern has the same first part, which is seldom.
class lazy_parts {
 public:
  explicit lazy_parts(std::string_view mangled) noexcept
      : name_(mangled), first_(first_part(mangled)) {}

  bool match(unsafe_code const& code) noexcept {
    function_pattern const& p = code.functions;
    if (p.count == 0 || p.parts[0].identifier != first_) return false;
    if (!read_) count_ = parts_of_name(name_, parts_);
    read_ = true;
    return count_ > 0 && matches(p, std::span(parts_).first(count_));
  }

 private:
  std::string_view name_, first_;
  std::array<name_part, most_name_parts> parts_;
  std::size_t count_ = 0;
  bool read_ = false;
};

/// The latest of what the program said counts, and before what is compiled in.
template <class Matches>
bool is_listed(Matches matches) noexcept {
  for (std::size_t i = added_count.load(std::memory_order_acquire); i > 0; --i) {
    added_pattern const& a = added[i - 1];
    if (a.made.load(std::memory_order_acquire) && matches(a.code)) return a.unsafe;
  }
  for (unsafe_code const& c : compiled_in) {
    if (matches(c)) return true;
  }
  return false;
}

}  // namespace

bool is_unsafe_function(std::string_view mangled) noexcept {
  return is_listed([name = lazy_parts{mangled}](unsafe_code const& c) mutable noexcept {
    return name.match(c);
  });
}

bool is_unsafe_module(std::string_view path) noexcept {
  return is_listed([path](unsafe_code const& c) noexcept {
    return !c.module.empty() && is_module(c.module, path);
  });
}

void add_function_pattern(std::string_view pattern, bool unsafe) {
  if (pattern.size() > std::tuple_size_v<decltype(added_pattern::text)>) {
    throw std::length_error("memprof::set_delivery_through_function: more than 200 letters");
  }
  if (!unsafe_code(pattern).valid()) {
    throw std::invalid_argument("memprof::set_delivery_through_function: '" + std::string(pattern) +
                                "' is no pattern like 'namespace::*::class<*>::function', nor "
                                "'module FILE'");
  }
  std::size_t place = added_count.load(std::memory_order_relaxed);
  do {
    if (place == most_added) {
      throw std::length_error("memprof::set_delivery_through_function: more than 64 patterns");
    }
  } while (!added_count.compare_exchange_weak(place, place + 1, std::memory_order_acq_rel));
  added_pattern& a = added[place];
  pattern.copy(a.text.data(), pattern.size());
  a.code = unsafe_code({a.text.data(), pattern.size()});
  a.unsafe = unsafe;
  a.made.store(true, std::memory_order_release);
}

}  // namespace memprof::delivery
