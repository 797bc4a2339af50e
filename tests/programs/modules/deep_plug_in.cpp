// SPDX-License-Identifier: MIT
// A plug-in that ends and grows blocks of the program's, and gives it blocks of its own.
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void plug_in_free(void* block) { std::free(block); }
void* plug_in_realloc(void* block, std::size_t size) { return std::realloc(block, size); }
char* plug_in_copy(char const* text) { return strdup(text); }
void plug_in_delete(void* block) { ::operator delete(block); }
void plug_in_delete_array(void* block) { ::operator delete[](block); }
void* plug_in_new(std::size_t size) { return ::operator new(size); }
}
