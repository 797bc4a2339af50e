// SPDX-License-Identifier: MIT
// A program with a malloc of its own, that takes back nothing but what it gave.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
alignas(64) char arena[32 << 20];
std::atomic<std::size_t> taken{0};
std::atomic<int> given{0};
}  // namespace

extern "C" {
void* malloc(std::size_t size) {
  ++given;
  std::size_t const at = taken.fetch_add(((size + 15) & ~std::size_t{15}) + 16);
  if (at + size + 32 > sizeof arena) return nullptr;
  std::memcpy(arena + at, &size, sizeof size);
  return arena + at + 16;
}
void free(void* p) {
  auto* const c = static_cast<char*>(p);
  if (p != nullptr && (c < arena || c >= arena + sizeof arena)) _exit(90);
}
void* calloc(std::size_t n, std::size_t size) {
  void* const p = malloc(n * size);
  if (p != nullptr) std::memset(p, 0, n * size);
  return p;
}
void* realloc(void* p, std::size_t size) {
  void* const q = malloc(size);
  if (p == nullptr || q == nullptr) return q;
  std::size_t old = 0;
  std::memcpy(&old, static_cast<char*>(p) - 16, sizeof old);
  std::memcpy(q, p, old < size ? old : size);
  free(p);
  return q;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  auto const p = reinterpret_cast<std::size_t>(malloc(size + alignment));
  return reinterpret_cast<void*>((p + alignment - 1) / alignment * alignment);
}
void* memalign(std::size_t alignment, std::size_t size) { return aligned_alloc(alignment, size); }
}

int main() {
  std::size_t sum = 0;
  std::thread threads[3];
  for (auto& thread : threads) {
    thread = std::thread([] {
      std::vector<std::string> texts;
      for (int i = 0; i < 200; ++i) texts.push_back(std::string(static_cast<std::size_t>(i), 'x'));
    });
  }
  for (auto& thread : threads) thread.join();
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i)
    texts.push_back(std::string(static_cast<std::size_t>(i % 200), 'y'));
  for (auto const& text : texts) sum += text.size();
  char* const copy = strdup("a copy");
  std::printf("%zu %s, given: %d\n", sum, copy, given > 0);
  free(copy);
  return 0;
}
