// SPDX-License-Identifier: MIT
#include "analysis/allocation_function.hpp"

#include <catch2/catch.hpp>

using memprof::analysis::is_allocation_function;

TEST_CASE("functions that only pass memory on are known by their names") {
  for (char const* name :
       {"malloc", "calloc", "pvalloc", "operator new", "operator new[]",
        "operator new(unsigned long, std::align_val_t)", "std::__new_allocator<char>::allocate",
        "std::__new_allocator<std::pair<int const, std::vector<int>>>::allocate",
        "std::allocator_traits<std::allocator<int> >::allocate(std::allocator<int>&, unsigned "
        "long)",
        "__gnu_cxx::new_allocator<char>::allocate(unsigned long, void const*)"}) {
    CAPTURE(name);
    CHECK(is_allocation_function(name));
  }
}

TEST_CASE("a program's own functions are not taken for them") {
  for (char const* name :
       {"", "xmalloc", "malloc_consolidate", "my::malloc", "operator new_thing",
        "std::vector<int>::_M_allocate", "std::allocator<int>::deallocate",
        "std::__new_allocator<char>::allocate_at_least", "std::__new_allocator<char",
        "std::allocator<x>::rebind<y>::allocate", "pool<std::allocator<int>>::allocate"}) {
    CAPTURE(name);
    CHECK_FALSE(is_allocation_function(name));
  }
}
