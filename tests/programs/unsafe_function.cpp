// SPDX-License-Identifier: MIT
// Functions that the program has declared unsafe are not left by an interrupt, unless it took them
// off the list again. To declare them too late is an error.
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string_view>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

namespace shop {

template <class T>
struct index_tree {
  bool whole = true;

  [[gnu::noinline]] void add(std::size_t count) {
    whole = false;
    for (std::size_t i = 0; i < count; ++i) ::operator delete(::operator new(8192 * sizeof(T)));
    whole = true;
  }
};

struct mended {
  bool whole = true;

  [[gnu::noinline]] void add(std::size_t count) {
    whole = false;
    for (std::size_t i = 0; i < count; ++i) ::operator delete(::operator new(8192 * sizeof(long)));
    whole = true;
  }
};

}  // namespace shop

namespace {

/// Whether the tree was left whole by a task that took 20 times its limit.
template <class Tree>
bool survives() {
  Tree tree;
  auto const r = memprof::limit_allocations(1_MiB, [&] { tree.add(320); });
  CHECK(!r);
  CHECK(tree.whole == (r.error().deferrals() > 0));
  return tree.whole;
}

template <class Exception, class F>
bool throws(F f) {
  try {
    f();
  } catch (Exception const&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  using memprof::delivery_through;
  auto const declare = [](std::string_view pattern, delivery_through how) {
    memprof::set_delivery_through_function(pattern, how);
  };
  CHECK(throws<std::invalid_argument>([&] { declare("*", delivery_through::never); }));
  CHECK(throws<std::invalid_argument>(
      [&] { declare("shop::*", delivery_through::despite_handlers); }));
  declare("shop::*::index_tree<*>::*", delivery_through::never);  // a namespace too many
  declare("shop::index_tree<*>::*", delivery_through::never);
  declare("shop::mended::*", delivery_through::never);
  declare("shop::mended::*", delivery_through::by_tables);
  CHECK(survives<shop::index_tree<long>>());
  CHECK(!survives<shop::mended>());
  CHECK(throws<std::logic_error>([&] { declare("shop::*", delivery_through::never); }));
}
