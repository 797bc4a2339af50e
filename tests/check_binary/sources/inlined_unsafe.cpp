// SPDX-License-Identifier: MIT
// usage: inlined_unsafe
//
// Prints whether an interrupt left a tree whole whose only function is inlined and declared unsafe.
#include <cstddef>
#include <cstdio>
#include <new>

#include "memprof/memprof.hpp"

using namespace memprof::literals;

namespace shop {

template <class T>
struct index_tree {
  bool whole = true;

  [[gnu::always_inline]] void add(std::size_t count) {
    whole = false;
    for (std::size_t i = 0; i < count; ++i) ::operator delete(::operator new(8192 * sizeof(T)));
    whole = true;
  }
};

}  // namespace shop

int main() {
  memprof::set_delivery_through_function("shop::index_tree<*>::*",
                                         memprof::delivery_through::never);
  shop::index_tree<long> tree;
  auto const r = memprof::limit_allocations(1_MiB, [&] { tree.add(320); });
  if (r) return 1;
  std::puts(tree.whole ? "whole" : "broken");
}
