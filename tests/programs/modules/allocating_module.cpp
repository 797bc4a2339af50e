// SPDX-License-Identifier: MIT
// A module that knows nothing of memprof.
#include <cstdlib>
#include <list>
#include <new>
#include <string>

extern "C" void* get_by_new(std::size_t size) { return ::operator new(size); }
extern "C" void* get_by_malloc(std::size_t size) { return std::malloc(size); }
extern "C" void fill_for_ever() {
  std::list<std::string> l;
  while (true) l.emplace_back(1000, 'x');
}
