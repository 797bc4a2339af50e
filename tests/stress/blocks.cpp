// SPDX-License-Identifier: MIT
#include "blocks.hpp"

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>
#include <memory>
#include <new>

#include "support/allocate.hpp"

namespace stress {
namespace {

constexpr std::size_t most_blocks = std::size_t{1} << 16;
// Never used twice, so that a block which is handed out twice is found by its contents.
block blocks[most_blocks];
std::atomic<std::size_t> blocks_used{0};
std::atomic<block*> slot_of[slots];

block* new_block(std::int64_t size) {
  const std::size_t index = blocks_used.fetch_add(1);
  if (index >= most_blocks) return nullptr;
  blocks[index].size = size;
  return &blocks[index];
}

/// The first and last bytes of a block have a value of its own.
template <class F>
bool for_each_byte(block const& b, std::int64_t size, F&& f) {
  constexpr std::int64_t most = 64;
  const auto value = static_cast<unsigned char>((&b - blocks) * 37 + 11);
  bool good = true;
  for (std::int64_t i = 0; i < std::min(size, most); ++i) {
    good &= f(b.at[i], value);
    if (size == b.size) good &= f(b.at[size - 1 - i], value);
  }
  return good;
}
void fill(block const& b) {
  for_each_byte(b, b.size, [](unsigned char& byte, unsigned char value) {
    byte = value;
    return true;
  });
}
void check(block const& b, std::int64_t size) {
  if (!for_each_byte(b, size,
                     [](unsigned char byte, unsigned char value) { return byte == value; })) {
    fail("a block of %lld bytes was written to by another", static_cast<long long>(b.size));
  }
}

void end(block* b) {
  if (b == nullptr) return;
  check(*b, b->size);
  begin_free(*b);
  if (b->by_new) {
    memprof::test::release(b->at, static_cast<std::size_t>(b->size));
  } else {
    std::free(b->at);
  }
  end_free(*b);
}

/// The block is whole: into its slot.
void enter(block* b, std::int64_t slot) {
  if (!b->by_new && static_cast<std::int64_t>(malloc_usable_size(b->at)) < b->size) {
    fail("a block of %lld bytes has less room", static_cast<long long>(b->size));
  }
  fill(*b);
  end(slot_of[slot].exchange(b));
}

void* load_and_allocate(context& c, std::int64_t size) {
  allocates_unseen(c, 1 << 16, true);
  char const* const folder = std::getenv("MEMPROF_TEST_MODULES");
  if (folder == nullptr) fail("MEMPROF_TEST_MODULES is not set");
  char path[512];
  std::snprintf(path, sizeof path, "%s/allocating_module.so", folder);
  void* const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) fail("%s", dlerror());
  auto* const get = reinterpret_cast<void* (*)(std::size_t)>(dlsym(module, "get_by_new"));
  // Unloaded also when the block is refused.
  const std::unique_ptr<void, void (*)(void*)> loaded(module, [](void* m) { dlclose(m); });
  return get(static_cast<std::size_t>(size));
}

void* by_malloc(op_kind kind, std::size_t size) {
  if (kind == op_kind::by_calloc) return std::calloc(1, size);
  if (kind == op_kind::aligned) {
    void* p = nullptr;
    return posix_memalign(&p, size % 3 == 0 ? 4096 : 64, size) == 0 ? p : nullptr;
  }
  return std::malloc(size);
}

void obtain(context& c, op const& o) {
  const bool from_module = o.kind == op_kind::module && !shared.forked;
  block* const b = new_block(o.arguments[1]);
  if (b == nullptr) return;
  b->by_new = o.kind == op_kind::by_new || o.kind == op_kind::module || !memprof::test::replaced;
  const auto size = static_cast<std::size_t>(b->size);
  request r(c, b->words(), b->by_new ? point::delivery : point::silent, b);
  void* const p = from_module ? load_and_allocate(c, b->size)
                  : b->by_new ? memprof::test::allocate(size)
                              : by_malloc(o.kind, size);
  if (p == nullptr) fail("no memory for %lld bytes", static_cast<long long>(b->size));
  if (o.kind == op_kind::by_calloc && !b->by_new) {
    auto const* const bytes = static_cast<char const*>(p);
    if (std::any_of(bytes, bytes + b->size, [](char x) { return x != 0; }))
      fail("calloc: not zero");
  }
  b->at = static_cast<unsigned char*>(p);
  r.granted();
  enter(b, o.arguments[0]);
}

void try_sizes(context& c, op const& o) {
  for (std::int64_t i = 0; i < sizes_tried; ++i) {
    const op_kind kind = i % 2 == 0 ? op_kind::by_new : op_kind::by_malloc;
    obtain(c, {.kind = kind, .arguments = {o.arguments[0], o.arguments[1] + 8 * i, 0}});
  }
}

void resize(context& c, op const& o) {
  block* const old = slot_of[o.arguments[0]].exchange(nullptr);
  if (old == nullptr) return;
  if (old->by_new) return end(old);
  block* const b = new_block(std::max<std::int64_t>(1, o.arguments[1]));
  if (b == nullptr) return end(old);
  check(*old, old->size);
  request r(c, b->words(), point::silent, b);
  begin_free(*old);
  unsigned char* const moved =
      static_cast<unsigned char*>(std::realloc(old->at, static_cast<std::size_t>(b->size)));
  if (moved == nullptr) fail("no memory for %lld bytes", static_cast<long long>(b->size));
  end_free(*old);
  old->at = moved;
  check(*old, std::min(old->size, b->size));
  b->at = moved;
  r.granted();
  enter(b, o.arguments[0]);
}

/// No destructor between here and the jump, so that it passes none.
void jump_out(context& c, op const& o) {
  block* const b = new_block(o.arguments[1]);
  if (b == nullptr) return;
  b->by_new = false;
  allocates_unseen(c, b->words(), false);
  static thread_local std::jmp_buf back;
  void* volatile got = nullptr;
  if (setjmp(back) == 0) {
    (void)memprof::limit_allocations(memprof::bytes{1 << 20}, [&] {
      got = std::malloc(static_cast<std::size_t>(b->size));
      std::longjmp(back, 1);  // NOLINT: that is what is tried
    });
  }
  if (got == nullptr) fail("a scope was not left by longjmp");
  ++c.passed_scopes;
  std::free(got);
}

}  // namespace

void on_block(context& c, op const& o) {
  switch (o.kind) {
    case op_kind::free:
      return end(slot_of[o.arguments[0]].exchange(nullptr));
    case op_kind::by_realloc:
      return resize(c, o);
    case op_kind::jump:
      return jump_out(c, o);
    case op_kind::sizes:
      return try_sizes(c, o);
    default:
      return obtain(c, o);
  }
}

freed free_all() {
  freed all;
  for (auto& slot : slot_of) {
    block* const b = slot.exchange(nullptr);
    if (b == nullptr) continue;
    all.words += b->words();
    ++all.blocks;
    end(b);
  }
  return all;
}

}  // namespace stress
