// SPDX-License-Identifier: MIT
#include "page_columns/allocation_function.hpp"

#include "support/catch2.hpp"

using memprof::page_columns::is_allocation_function;
using memprof::page_columns::is_library_function;
using memprof::page_columns::only_passes_memory_on;

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

TEST_CASE("the standard library is known by its namespaces, and nothing else is taken for it") {
  for (char const* name : {"std::vector<int>::push_back", "std::string::_M_create",
                           "__gnu_cxx::__to_xstring", "memprof::override::allocate_slow"}) {
    CAPTURE(name);
    CHECK(is_library_function(name));
    CHECK(only_passes_memory_on(name));
  }
  for (char const* name : {"", "std", "stdx::f", "my::std::f", "f<std::string>", "_std::f"}) {
    CAPTURE(name);
    CHECK_FALSE(only_passes_memory_on(name));
  }
  CHECK_FALSE(is_library_function("operator new"));
  CHECK(only_passes_memory_on("operator new"));
}
