// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/packed_slots.hpp"
#include "base/page_memory.hpp"
#include "support/catch2.hpp"
#include "support/free_range.hpp"
#include "support/sanitized.hpp"

using memprof::base::packed_slots;
using memprof::base::packed_table;
using memprof::test::is_mapped;
namespace size_classes = memprof::base::size_classes;

namespace {

/// Slots of a range of its own, and blocks in them.
struct moving {
  using enum packed_slots::move_result;
  static constexpr std::size_t kib = 1024;
  static constexpr std::size_t mib = 1024 * kib;

  std::unique_ptr<packed_table> table = std::make_unique<packed_table>();
  packed_slots slots{*table, memprof::test::free_range()};

  struct block {
    packed_slots::found slot;
    unsigned char* bytes = nullptr;
    std::size_t size = 0;

    static unsigned char pattern(std::size_t i) {
      return static_cast<unsigned char>(i / 4096 * 7 + i);
    }
    void fill() const {
      for (std::size_t i = 0; i < size; ++i) bytes[i] = pattern(i);
    }
    [[nodiscard]] bool has_pattern(std::size_t n) const {
      for (std::size_t i = 0; i < n; ++i) {
        if (bytes[i] != pattern(i)) return false;
      }
      return true;
    }
  };
  block acquire(std::size_t size) {
    const auto place = slots.acquire(size_classes::class_of(size), size);
    REQUIRE(place.address != nullptr);
    place.slot.entry->store(1);
    return {place.slot, static_cast<unsigned char*>(place.address), size};
  }
  void release(block const& b) {
    b.slot.entry->store(0);
    slots.release(b.slot);
  }
  void release_unmapped(block const& b) {
    b.slot.entry->store(0);
    slots.release_unmapped(b.slot);
  }

  /// A block stays after `split` has made several mappings of it.
  void stays(bool (*split)(unsigned char* part)) {
    for (std::size_t const to : {300 * kib, 100 * mib}) {
      block const source = acquire(200 * kib);
      source.fill();
      REQUIRE(split(source.bytes + 64 * kib));
      block const target = acquire(to);
      const auto result = slots.move(source.slot, target.slot);
      REQUIRE(result != moved);
      CHECK(source.has_pattern(source.size));
      if (result == refused) {
        target.bytes[0] = 1;
        target.bytes[to - 1] = 2;
        CHECK(target.bytes[to / 2] == 0);
        release(target);
      } else {
        // Kernels that unmap nothing then: of a run nobody knows whose it is now.
        REQUIRE(result == lost);
        CHECK(to == 100 * mib);
        CHECK(table->runs_stay.load());
        release_unmapped(target);
        CHECK(acquire(to).bytes != target.bytes);
      }
    }
  }
};

}  // namespace

TEST_CASE_METHOD(moving, "packed_slots: pages move along a chain of slots, up to runs") {
  block now = acquire(128 * kib);
  now.fill();
  for (std::size_t size = 140 * kib; size < 300 * mib; size += size / 3) {
    block const next = acquire(size);
    REQUIRE(packed_slots::moves(now.slot, next.slot));
    REQUIRE(slots.move(now.slot, next.slot) == moved);
    CHECK_FALSE(is_mapped(now.bytes));
    CHECK_FALSE(is_mapped(now.bytes + now.slot.chunk->mapped - 1));
    CHECK(is_mapped(next.bytes + next.slot.chunk->mapped - 1));
    release_unmapped(now);
    CHECK(next.has_pattern(128 * kib));
    CHECK(next.bytes[size - 1] == 0);
    // The slot that was left is found again, with memory of its own.
    block const again = acquire(now.size);
    CHECK(again.bytes == now.bytes);
    again.bytes[0] = 77;
    release(again);
    CHECK(next.bytes[0] == block::pattern(0));
    now = next;
  }
  release(now);
}

TEST_CASE_METHOD(moving, "packed_slots: neighbours keep theirs") {
  std::vector<block> many;
  for (int i = 0; i < 12; ++i) {
    many.push_back(acquire(200 * kib));
    many.back().fill();
  }
  for (std::size_t i = 0; i < many.size(); i += 2) {
    block const larger = acquire(1 * mib);
    REQUIRE(slots.move(many[i].slot, larger.slot) == moved);
    release_unmapped(many[i]);
    CHECK(larger.has_pattern(200 * kib));
  }
  for (std::size_t i = 1; i < many.size(); i += 2) CHECK(many[i].has_pattern(200 * kib));
}

TEST_CASE_METHOD(moving, "packed_slots: only large blocks move, and only to fresh memory") {
  block const small = acquire(100 * kib);
  block const large = acquire(200 * kib);
  block const larger = acquire(300 * kib);
  block const tiny = acquire(1000);
  CHECK_FALSE(packed_slots::moves(small.slot, large.slot));
  CHECK(packed_slots::moves(large.slot, larger.slot));
  CHECK_FALSE(packed_slots::moves(larger.slot, large.slot));
  CHECK_FALSE(packed_slots::moves(larger.slot, tiny.slot));
  release(larger);
  block const kept = acquire(300 * kib);
  REQUIRE(kept.bytes == larger.bytes);
  CHECK_FALSE(packed_slots::moves(large.slot, kept.slot));
}

// A program may change the protection of a part of its block, or give the kernel advice on it; then
// the block has several mappings.
TEST_CASE_METHOD(moving,
                 "packed_slots: a block of several mappings stays, and its target can be used") {
  stays([](unsigned char* part) { return mprotect(part, 64 * kib, PROT_READ) == 0; });
}

TEST_CASE_METHOD(moving, "packed_slots: a block that the kernel has advice on stays, too") {
  stays([](unsigned char* part) { return madvise(part, 64 * kib, MADV_DONTFORK) == 0; });
}

#if !MEMPROF_SANITIZED  // which reserve addresses of their own
TEST_CASE_METHOD(
    moving, "packed_slots: with no addresses left a target is lost, and is there again later") {
  pid_t const child = fork();
  if (child == 0) {
    block const source = acquire(200 * kib);
    source.fill();
    if (mprotect(source.bytes + 64 * kib, 64 * kib, PROT_READ) != 0) _exit(1);
    block const target = acquire(300 * kib);
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    rlimit const none{1, before.rlim_max};  // for new mappings
    if (setrlimit(RLIMIT_AS, &none) != 0) _exit(2);
    const auto result = slots.move(source.slot, target.slot);
    if (setrlimit(RLIMIT_AS, &before) != 0) _exit(3);
    if (!source.has_pattern(source.size)) _exit(4);
    if (result == refused) _exit(is_mapped(target.bytes) ? 0 : 5);  // one that unmaps nothing then
    if (result != lost) _exit(6);
    release_unmapped(target);
    block const again = acquire(300 * kib);
    if (again.bytes != target.bytes) _exit(7);
    again.bytes[again.size - 1] = 1;
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif
