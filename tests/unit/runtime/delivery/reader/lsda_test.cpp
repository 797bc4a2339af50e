// SPDX-License-Identifier: MIT
#include "delivery/reader/lsda.hpp"

#include <cstring>
#include <dlfcn.h>
#include <new>
#include <stdexcept>
#include <typeinfo>
#include <vector>

#include <memprof/interrupted.hpp>

#include "delivery/reader/runtime_addresses.hpp"
#include "support/catch2.hpp"

using namespace memprof::delivery;
using where = landing::place;

namespace {

using bytes = std::vector<unsigned char>;

constexpr std::uintptr_t code = 0x100000;

struct site {
  unsigned start, length, pad, action;  // below 128: one byte each as uleb
};

enum : unsigned char {
  absolute = 0x00,
  uleb = 0x01,
  udata4 = 0x03,
  sdata4 = 0x0b,
  pc_relative = 0x10,
  indirect = 0x80,
  omitted = 0xff
};

std::type_info const* const int_type = &typeid(int);
std::type_info const* const bad_alloc_type = &typeid(std::bad_alloc);
std::type_info const* const exception_type = &typeid(std::exception);
std::type_info const* const limit_type = &typeid(memprof::limit_exceeded);
std::type_info const* const runtime_error_type = &typeid(std::runtime_error);

/// An exception table; `types` from number 1 on, `specifications` behind them.
bytes table(std::vector<site> const& sites, bytes const& actions,
            std::vector<std::type_info const*> const& types, bytes const& specifications = {},
            unsigned char sites_encoding = uleb) {
  bytes records;
  for (site const& s : sites) {
    for (const unsigned offset : {s.start, s.length, s.pad}) {
      records.push_back(static_cast<unsigned char>(offset));
      if (sites_encoding == udata4) records.insert(records.end(), {0, 0, 0});
    }
    records.push_back(static_cast<unsigned char>(s.action));
  }
  bytes behind;  // from the call-site encoding to the end of the types
  behind.push_back(sites_encoding);
  behind.push_back(static_cast<unsigned char>(records.size()));
  behind.insert(behind.end(), records.begin(), records.end());
  behind.insert(behind.end(), actions.begin(), actions.end());
  for (std::size_t n = types.size(); n-- > 0;) {
    unsigned char pointer[8];
    std::memcpy(pointer, &types[n], 8);
    behind.insert(behind.end(), pointer, pointer + 8);
  }
  bytes result{omitted, absolute, static_cast<unsigned char>(behind.size())};
  result.insert(result.end(), behind.begin(), behind.end());
  result.insert(result.end(), specifications.begin(), specifications.end());
  result.resize(result.size() + 64);  // a table never ends where memory does
  return result;
}

landing at(bytes const& lsda, unsigned offset, thrown type = thrown::limit,
           std::uintptr_t personality = 0) {
  memprof::callstack::procedure p;
  p.personality = personality;
  p.begin = code;
  p.end = code + 0x80;
  p.lsda = lsda.data();
  p.lsda_end = lsda.data() + lsda.size();
  return find_landing(p, code + offset, type);
}

}  // namespace

TEST_CASE("lsda: gaps, calls without a pad, cleanups") {
  for (const unsigned char encoding : {uleb, udata4}) {
    const bytes t =
        table({{4, 4, 0, 0}, {10, 6, 0x40, 0}, {0x20, 4, 0x50, 0}}, {}, {}, {}, encoding);
    CHECK(at(t, 0).where == where::gap);
    CHECK(at(t, 3).where == where::gap);
    CHECK(at(t, 4).where == where::none);
    CHECK(at(t, 7).where == where::none);
    CHECK(at(t, 8).where == where::gap);
    CHECK(at(t, 15).where == where::pad);
    CHECK(at(t, 15).address == code + 0x40);
    CHECK(at(t, 15).selector == 0);
    CHECK(at(t, 16).where == where::gap);
    CHECK(at(t, 0x23).address == code + 0x50);
    CHECK(at(t, 0x24).where == where::gap);
  }
}

TEST_CASE("lsda: C's personality passes what no record covers, and cleans up whatever comes") {
  constexpr std::uintptr_t c = 0xc0de;
  add_personality(c, language::c);
  const bytes t = table({{4, 4, 0, 0}, {10, 6, 0x40, 1}}, {1, 0}, {int_type});
  CHECK(at(t, 0, thrown::limit, c).where == where::none);
  CHECK(at(t, 4, thrown::limit, c).where == where::none);
  CHECK(at(t, 10, thrown::limit, c).where == where::pad);
  CHECK(at(t, 10, thrown::limit, c).selector == 0);
  CHECK(at(t, 16, thrown::limit, c).where == where::none);
  CHECK(at(t, 10).where == where::none);  // C++'s: no handler for this type
}

TEST_CASE("lsda: which handler takes it") {
  // Two entries of a chain: filter 1, then filter 2 at displacement 1 (from its own position).
  const bytes chain{1, 1, 2, 0};
  const std::vector<site> one{{0, 8, 0x40, 1}};
  const auto selector = [&](std::type_info const* first, std::type_info const* second) {
    const landing l = at(table(one, chain, {first, second}), 2);
    return l.where == where::pad ? l.selector : -99;
  };
  CHECK(selector(int_type, bad_alloc_type) == 2);
  CHECK(selector(bad_alloc_type, int_type) == 1);
  CHECK(selector(exception_type, bad_alloc_type) == 1);
  CHECK(selector(runtime_error_type, limit_type) == 2);
  CHECK(selector(runtime_error_type, nullptr) == 2);
  CHECK(selector(nullptr, nullptr) == 1);
  CHECK(selector(int_type, runtime_error_type) == -99);
  CHECK(at(table(one, chain, {int_type, runtime_error_type}), 2).where == where::none);
}

TEST_CASE("lsda: handlers that do not match, and a cleanup") {
  const std::vector<site> one{{0, 8, 0x40, 1}};
  const landing l = at(table(one, {1, 1, 0, 0}, {int_type}), 2);
  CHECK(l.where == where::pad);
  CHECK(l.selector == 0);
  // The cleanup first: the handler behind it is what the exception goes to.
  CHECK(at(table(one, {0, 1, 1, 0}, {bad_alloc_type}), 2).selector == 1);
}

TEST_CASE("lsda: chains may lead backwards") {
  // Entry at 1: filter 1, end. Entry at 3: filter 2, displacement -3 from 4: to 1.
  const bytes actions{1, 0, 2, 0x7d};
  CHECK(at(table({{0, 8, 0x40, 3}}, actions, {bad_alloc_type, int_type}), 2).selector == 1);
  CHECK(at(table({{0, 8, 0x40, 3}}, actions, {bad_alloc_type, nullptr}), 2).selector == 2);
}

TEST_CASE("lsda: exception specifications") {
  const std::vector<site> one{{0, 8, 0x40, 1}};
  const auto specified = [&](bytes const& list) {
    // filter -1 (0x7f) begins at the list's first byte; then a cleanup
    return at(table(one, {0x7f, 1, 0, 0}, {int_type, bad_alloc_type}, list), 2).selector;
  };
  CHECK(specified({0}) == -1);
  CHECK(specified({1, 0}) == -1);
  CHECK(specified({2, 0}) == 0);
  CHECK(specified({1, 2, 0}) == 0);
  // filter -3 (0x7d) is the list two bytes further
  const bytes lists{2, 0, 1, 0};
  CHECK(at(table(one, {0x7d, 0}, {int_type, bad_alloc_type}, lists), 2).selector == -3);
}

TEST_CASE("lsda: an exception of any type") {
  const std::vector<site> one{{0, 8, 0x40, 1}};
  landing l = at(table(one, {1, 0}, {int_type}), 2, thrown::anything);
  CHECK(l.where == where::pad);
  CHECK_FALSE(l.selector_known);
  CHECK(l.may_pass);
  l = at(table(one, {1, 1, 0, 0}, {int_type}), 2, thrown::anything);
  CHECK_FALSE(l.selector_known);
  CHECK_FALSE(l.may_pass);
  l = at(table(one, {1, 0}, {nullptr}), 2, thrown::anything);
  CHECK(l.selector_known);
  CHECK(l.selector == 1);
  // An empty specification allows none; another one, perhaps this one.
  l = at(table(one, {0x7f, 0}, {int_type}, {0}), 2, thrown::anything);
  CHECK(l.selector_known);
  CHECK(l.selector == -1);
  l = at(table(one, {0x7f, 0}, {int_type}, {1, 0}), 2, thrown::anything);
  CHECK_FALSE(l.selector_known);
  l = at(table({{0, 8, 0x40, 0}}, {}, {}), 2, thrown::anything);
  CHECK(l.selector_known);
  CHECK(l.selector == 0);
}

TEST_CASE("lsda: names that begin with a star are of one translation unit") {
  struct fake_type_info {
    void const* table;
    char const* name;
  };
  const std::vector<site> one{{0, 8, 0x40, 1}};
  const auto matches = [&](char const* name) {
    static fake_type_info fake;  // in a module, as those of programs are
    fake = {nullptr, name};
    const auto* type = reinterpret_cast<std::type_info const*>(&fake);
    return at(table(one, {1, 0}, {type}), 2).where == where::pad;
  };
  CHECK(matches("St9bad_alloc"));
  CHECK(matches("N7memprof2v014limit_exceededE"));
  CHECK_FALSE(matches("*St9bad_alloc"));
  CHECK_FALSE(matches("St9bad_allocx"));
}

TEST_CASE("lsda: type pointers relative to their place, through another pointer") {
  static std::type_info const* const cell = bad_alloc_type;
  static unsigned char t[64] = {
      omitted, pc_relative | indirect | sdata4, 12, uleb, 4, 0, 8, 0x40, 1, 1, 0};
  // The table of types is the four bytes that end at 3 + 12.
  const std::int64_t distance = reinterpret_cast<unsigned char const*>(&cell) - (t + 11);
  if (distance != static_cast<std::int32_t>(distance)) return;  // the linker put them far apart
  const auto field = static_cast<std::int32_t>(distance);
  std::memcpy(t + 11, &field, 4);
  const landing l = at(bytes(), 0);
  CHECK(l.where != where::pad);
  memprof::callstack::procedure p;
  p.begin = code;
  p.lsda = t;
  p.lsda_end = t + sizeof t;
  CHECK(find_landing(p, code + 1, thrown::limit).selector == 1);
}

TEST_CASE("lsda: malformed tables are refused, not followed") {
  const std::vector<site> one{{0, 8, 0x40, 1}};
  CHECK(at(table(one, {3, 0}, {int_type}), 2).where == where::malformed);     // no type 3
  CHECK(at(table(one, {1, 0x7f}, {int_type}), 2).where == where::malformed);  // an endless chain
  CHECK(at(table({{0, 8, 0x40, 0x7f}}, {1, 0}, {int_type}), 2).where == where::malformed);
  bytes t = table(one, {1, 0}, {int_type});
  t[1] = 0x07;  // an unknown encoding of pointers
  CHECK(at(t, 2).where == where::malformed);
  t = table(one, {1, 0}, {int_type});
  t[3] = 0x07;
  CHECK(at(t, 2).where == where::malformed);
  t = table(one, {1, 0}, {int_type});
  t[4] = 3;  // the last record is cut off
  CHECK(at(t, 2).where == where::malformed);
}

TEST_CASE("lsda: what leads out of the table or to no module is refused") {
  const std::vector<site> one{{0, 8, 0x40, 1}};
  // A type, or its name, that is in no module.
  struct {
    void const* table;
    char const* name;
  } on_stack{nullptr, "St9bad_alloc"};
  auto const* const outside = reinterpret_cast<std::type_info const*>(&on_stack);
  CHECK(at(table(one, {1, 0}, {outside}), 2).where == where::malformed);
  auto const* const nowhere = reinterpret_cast<std::type_info const*>(std::uintptr_t{8});
  CHECK(at(table(one, {1, 0}, {nowhere}), 2).where == where::malformed);
  static std::type_info const* const without_name[] = {nullptr, nullptr};
  auto const* const nameless = reinterpret_cast<std::type_info const*>(&without_name);
  CHECK(at(table(one, {1, 0}, {nameless}), 2).where == where::malformed);
  // A chain of actions that leads back before the first one, and one that leads far behind.
  CHECK(at(table(one, {2, 0x40}, {bad_alloc_type, int_type}), 2).where == where::malformed);
  CHECK(at(table(one, {2, 0xff, 0xff, 0xff, 0x07}, {bad_alloc_type, int_type}), 2).where ==
        where::malformed);
  // An endless chain of specifications that are long is bounded as a whole.
  CHECK(at(table(one, {0x7f, 0x7f}, {int_type}, bytes(20'000, 1)), 2, thrown::anything).where ==
        where::malformed);
  // Lengths, of the types and of the sites, that end behind the table.
  bytes t = table(one, {1, 0}, {bad_alloc_type});
  CHECK(at(t, 2).where == where::pad);
  t[2] = 0x7f;
  t.resize(64);
  CHECK(at(t, 2).where == where::malformed);
  t = table(one, {}, {});
  t[4] = 0x7f;
  t.resize(64);
  CHECK(at(t, 2).where == where::malformed);
  // Types that end before the sites do, also where no type is asked for.
  t = table({{0, 8, 0x40, 0}}, {}, {});
  CHECK(at(t, 2).where == where::pad);
  --t[2];
  CHECK(at(t, 2).where == where::malformed);
}

// With AddressSanitizer there is something between variables that must not be read; here it is
// looked at because it is the module's.
TEST_CASE("lsda: types and names that lie between a module's variables") {
  const std::vector<site> one{{0, 8, 0x40, 1}};
  alignas(16) static char variable[3] = {};
  const auto behind = reinterpret_cast<std::uintptr_t>(&variable) + 8;
  at(table(one, {1, 0}, {reinterpret_cast<std::type_info const*>(behind)}), 2);
  // A name that does not end with the variable that it begins in.
  static char without_end[] = {'S', 't', '9', 'b'};
  static struct {
    void const* table;
    char const* name;
  } type{nullptr, without_end};
  auto const* const unending = reinterpret_cast<std::type_info const*>(&type);
  CHECK(at(table(one, {1, 0}, {unending}), 2).where == where::none);
  // A type_info that is not aligned is none.
  auto const* const odd =
      reinterpret_cast<std::type_info const*>(reinterpret_cast<std::uintptr_t>(bad_alloc_type) + 1);
  CHECK(at(table(one, {1, 0}, {odd}), 2).where == where::malformed);
}

TEST_CASE("lsda: a name is not read past the end of its module") {
  void* const module = dlopen(MEMPROF_TEST_CALLSTACK_MODULES "/name_at_end.so", RTLD_NOW);
  REQUIRE(module != nullptr);
  static struct {
    void const* table;
    void const* name;
  } type{};
  type.name = dlsym(module, "memprof_test_name_at_end");
  REQUIRE(type.name != nullptr);
  const bytes t =
      table({{0, 8, 0x40, 1}}, {1, 0}, {reinterpret_cast<std::type_info const*>(&type)});
  // A page without access follows, or another module's, which begins with a letter.
  CHECK(at(t, 2).where == where::pad);
  dlclose(module);
}
