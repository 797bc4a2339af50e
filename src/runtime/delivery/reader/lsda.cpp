// SPDX-License-Identifier: MIT
#include "delivery/reader/lsda.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "delivery/reader/runtime_addresses.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {
namespace {

using callstack::encoding_omitted;
using callstack::table_reader;

struct exception_table {
  std::uintptr_t pads_from = 0;
  unsigned char types_encoding = encoding_omitted;
  unsigned char const* types_end = nullptr;  ///< null if there are none
  unsigned char sites_encoding = encoding_omitted;
  unsigned char const* sites = nullptr;
  unsigned char const* actions = nullptr;  ///< also the end of the sites
  unsigned char const* end = nullptr;      ///< no byte beyond belongs to the module
};

bool parse_header(callstack::procedure const& p, exception_table& t) noexcept {
  table_reader r{p.lsda, p.lsda_end};
  const auto pads_encoding = r.fixed<unsigned char>();
  t.pads_from = pads_encoding == encoding_omitted ? p.begin : r.pointer(pads_encoding);
  t.types_encoding = r.fixed<unsigned char>();
  if (t.types_encoding != encoding_omitted) {
    const std::uint64_t distance = r.uleb();
    if (distance > r.left()) return false;
    t.types_end = r.position() + distance;
  }
  t.sites_encoding = r.fixed<unsigned char>() & 0x0f;  // offsets, relative to nothing else
  const std::uint64_t length = r.uleb();
  if (r.failed() || length > r.left()) return false;
  t.sites = r.position();
  t.actions = t.sites + length;
  if (t.types_end != nullptr && t.types_end < t.actions) return false;
  // Behind the types stand the lists of exception specifications, of no stated length.
  t.end = p.lsda_end;
  return true;
}

/// One entry of the action table, as long as it is valid.
struct action {
  std::int64_t filter = 0;
  unsigned char const* next = nullptr;  ///< null: the last one
};

bool read_action(exception_table const& t, unsigned char const* at, action& a) noexcept {
  unsigned char const* const end = t.types_end != nullptr ? t.types_end : t.end;
  if (at < t.actions || at >= end) return false;
  table_reader r{at, end};
  a.filter = r.sleb();
  unsigned char const* const displacement_at = r.position();
  const std::int64_t displacement = r.sleb();
  if (r.failed() || displacement < t.actions - displacement_at ||
      displacement > end - displacement_at) {
    return false;
  }
  a.next = displacement == 0 ? nullptr : displacement_at + displacement;
  return true;
}

unsigned entry_size(unsigned char encoding) noexcept {
  switch (encoding & 0x0f) {
    case callstack::encoding_absolute:
    case callstack::encoding_udata8:
    case callstack::encoding_sdata8:
      return 8;
    case callstack::encoding_udata4:
    case callstack::encoding_sdata4:
      return 4;
    case callstack::encoding_udata2:
    case callstack::encoding_sdata2:
      return 2;
    default:
      return 0;
  }
}

/// What a handler is for.
struct handled_type {
  bool anything = false;
  std::array<char, 64> name{};  ///< as typeid gives it; longer ones, none of ours, are cut
  [[nodiscard]] bool is(std::string_view wanted) const noexcept { return wanted == name.data(); }
};

/// Names that begin with '*' are compared by address, and belong to types of one translation unit
/// alone: none of ours. False if it is not where modules have such things: the runtime, which would
/// follow it without looking, is not sent there.
///
/// A damaged table may lead between a module's variables, where no sanitizer expects a read.
__attribute__((no_sanitize("address"))) bool read_name(std::uintptr_t type,
                                                       handled_type& handled) noexcept {
  // A std::type_info has its virtual table, then its name.
  constexpr std::size_t word = sizeof type;
  if (type % word != 0 || !modules::is_readable(type, 2 * word)) return false;
  const std::uintptr_t text = callstack::detail::word_at(type + word);
  const modules::address_range around = modules::readable_around(text);
  if (around == modules::address_range{}) return false;
  auto const* const from = reinterpret_cast<char const volatile*>(text);
  const std::size_t most = std::min(handled.name.size() - 1, around.end - text);
  std::size_t length = 0;
  for (; length < most && from[length] != '\0'; ++length) handled.name[length] = from[length];
  handled.name[length] = '\0';
  return true;
}

/// Reads type number `index` (from 1). False if the table is too short, the encoding unknown, or
/// the type not to be found.
bool read_type(exception_table const& t, std::uint64_t index, handled_type& handled) noexcept {
  const unsigned size = entry_size(t.types_encoding);
  if (t.types_end == nullptr || size == 0 || index == 0) return false;
  if (index > static_cast<std::uint64_t>(t.types_end - t.actions) / size) return false;
  unsigned char const* const at = t.types_end - index * size;
  table_reader r{at, at + size};
  const std::uintptr_t type = r.pointer(t.types_encoding);
  handled.anything = type == 0;
  return !r.failed() && (handled.anything || read_name(type, handled));
}

bool is_forced_unwind(handled_type const& type) noexcept {
#if defined(__GLIBCXX__)  // delivery/raise.hpp
  return type.is("N10__cxxabiv115__forced_unwindE");
#else
  static_cast<void>(type);
  return false;
#endif
}

/// Whether a handler for `type` takes a limit_exceeded.
bool takes_limit(handled_type const& type) noexcept {
  return type.anything || is_forced_unwind(type) || type.is("N7memprof2v014limit_exceededE") ||
         type.is("St9bad_alloc") || type.is("St9exception");
}

enum class answer : std::uint8_t { no, yes, perhaps, malformed };

/// Whether the exception specification of `filter` (negative) forbids the exception. Reads at most
/// `left` types, and lowers it.
answer forbids(exception_table const& t, std::int64_t filter, thrown type, int& left) noexcept {
  if (t.types_end == nullptr || filter < t.types_end - t.end) return answer::malformed;
  table_reader r{t.types_end - filter - 1, t.end};
  bool empty = true;
  for (;;) {
    const std::uint64_t index = r.uleb();
    if (r.failed() || --left <= 0) return answer::malformed;
    if (index == 0) break;
    empty = false;
    handled_type allowed;
    if (!read_type(t, index, allowed)) return answer::malformed;
    if (type == thrown::limit && takes_limit(allowed)) return answer::no;
  }
  return empty || type == thrown::limit ? answer::yes : answer::perhaps;
}

/// Whether the action with this filter (not 0) takes the exception; `found` is its landing.
answer takes(exception_table const& t, std::int64_t filter, thrown type, landing& found,
             int& left) noexcept {
  if (filter < 0) return forbids(t, filter, type, left);
  handled_type handled;
  if (!read_type(t, static_cast<std::uint64_t>(filter), handled)) return answer::malformed;
  if (type == thrown::limit) {
    found.forced_unwind = is_forced_unwind(handled);
    return takes_limit(handled) ? answer::yes : answer::no;
  }
  return handled.anything ? answer::yes : answer::perhaps;
}

/// Which entry of the chain that begins at `at` takes the exception; `found` has the pad already.
void choose_action(exception_table const& t, unsigned char const* at, thrown type,
                   landing& found) noexcept {
  bool cleanup = false;
  for (int left = 10'000;; --left) {
    action a;
    if (left <= 0 || !read_action(t, at, a)) {
      found.where = landing::place::malformed;
      return;
    }
    if (a.filter == 0) {
      cleanup = true;
    } else {
      switch (takes(t, a.filter, type, found, left)) {
        case answer::no:
          break;
        case answer::perhaps:
          found.selector_known = false;
          break;
        case answer::malformed:
          found.where = landing::place::malformed;
          return;
        case answer::yes:
          found.selector = static_cast<std::int32_t>(a.filter);
          return;
      }
    }
    if (a.next == nullptr) break;
    at = a.next;
  }
  if (cleanup) return;
  found.may_pass = true;
  if (found.selector_known) found.where = landing::place::none;
}

}  // namespace

landing find_landing(callstack::procedure const& p, std::uintptr_t pc, thrown type) noexcept {
  landing found;
  exception_table t;
  if (p.lsda == nullptr || !parse_header(p, t)) return found;
  // C's knows nothing but clean-ups, and passes what no record covers.
  const bool c = language_of(p.personality) == language::c;
  table_reader r{t.sites, t.actions};
  while (!r.at_end()) {
    const std::uintptr_t start = p.begin + r.pointer(t.sites_encoding);
    const std::uintptr_t length = r.pointer(t.sites_encoding);
    const std::uintptr_t pad = r.pointer(t.sites_encoding);
    const std::uint64_t first = r.uleb();
    if (r.failed()) return found;
    if (pc < start) break;
    if (pc - start >= length) continue;
    found.where = pad == 0 ? landing::place::none : landing::place::pad;
    if (pad == 0) return found;
    found.address = t.pads_from + pad;
    if (c) return found;
    if (first > static_cast<std::uint64_t>(t.end - t.actions)) {
      found.where = landing::place::malformed;
    } else if (first != 0) {
      choose_action(t, t.actions + first - 1, type, found);
    }
    return found;
  }
  found.where = c ? landing::place::none : landing::place::gap;
  return found;
}

std::uintptr_t next_call_site(callstack::procedure const& p, std::uintptr_t pc) noexcept {
  exception_table t;
  if (p.lsda == nullptr || !parse_header(p, t)) return 0;
  table_reader r{t.sites, t.actions};
  while (!r.at_end()) {
    const std::uintptr_t start = p.begin + r.pointer(t.sites_encoding);
    static_cast<void>(r.pointer(t.sites_encoding));
    static_cast<void>(r.pointer(t.sites_encoding));
    static_cast<void>(r.uleb());
    if (r.failed()) return 0;
    if (start > pc) return start;
  }
  return 0;
}

bool is_landing_pad(std::uintptr_t address) noexcept {
  callstack::procedure p;
  exception_table t;
  if (!callstack::find_procedure(address, p) || p.lsda == nullptr || !parse_header(p, t)) {
    return false;
  }
  table_reader r{t.sites, t.actions};
  while (!r.at_end()) {
    static_cast<void>(r.pointer(t.sites_encoding));
    static_cast<void>(r.pointer(t.sites_encoding));
    const std::uintptr_t pad = r.pointer(t.sites_encoding);
    static_cast<void>(r.uleb());
    if (r.failed()) return false;
    if (pad != 0 && t.pads_from + pad == address) return true;
  }
  return false;
}

}  // namespace memprof::delivery
