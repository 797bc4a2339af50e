// SPDX-License-Identifier: MIT
#include "override/slow_paths.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "limits/limits.hpp"
#include "override/next_malloc.hpp"
#include "override/own_code.hpp"
#include "tracer/tracer.hpp"

namespace memprof::override {
namespace {

class errno_kept {
 public:
  errno_kept() noexcept : saved_(errno) {}
  ~errno_kept() { errno = saved_; }
  errno_kept(errno_kept const&) = delete;
  errno_kept& operator=(errno_kept const&) = delete;

 private:
  int saved_;
};

[[gnu::noinline]] void end_aligned(void* block, std::uint32_t index) noexcept {
  const errno_kept kept;
  free_aligned_tracked(block, index);
}

MEMPROF_OWN_CODE void free_any(void* block) noexcept {
  if (in_range(block)) {
    free_slow(block);
  } else {
    next_malloc.free(block);
  }
}

MEMPROF_OWN_CODE void* allocate_from_next(request const& r) noexcept {
  if (r.zeroed) return next_malloc.calloc(1, r.size);
  if (r.alignment > alignof(std::max_align_t)) return next_malloc.memalign(r.alignment, r.size);
  return next_malloc.malloc(r.size);
}

/// The frame of the function that the program called, from that of the slow path.
void const* called_frame(void const* frame) noexcept {
#ifndef __OPTIMIZE__  // then malloc calls the slow path, and does not jump there
  frame = *static_cast<void const* const*>(frame);
#endif
  return frame;
}

bool refuses(detail::admission& admitted, void const* frame) noexcept {
  frame = called_frame(frame);
  return admitted.refuses_malloc(static_cast<std::uintptr_t const*>(frame)[1], frame);
}

/// Whether the recorder outside says that there is no room for this request. Unsampled requests are
/// not checked.
MEMPROF_OWN_CODE bool has_no_room(std::size_t size, engine::event const& e) noexcept {
  return e.n_samples() > 0 && tracer::is_refused_by_recorder(size);
}

/// The block for an event that was admitted.
MEMPROF_OWN_CODE void* obtain(request const& r, engine::event const& e) noexcept {
  engine::register_replacement();
  if (!r.shrinks && has_no_room(r.size, e)) return nullptr;
  if (e.n_samples() > 0) {
    if (void* block = allocate_tracked(r, e)) return block;
    // No memory for a tracked block: an ordinary one instead, if the allocator has one.
    void* const block = allocate_from_next(r);
    if (block != nullptr) engine::drop_block();
    return block;
  }
  return allocate_from_next(r);
}

/// Resizes a block of the real allocator, for an event that was admitted: in place, unless the new
/// size is sampled.
MEMPROF_OWN_CODE void* resize_admitted(void* block, std::size_t size, engine::event const& e,
                                       void const* frame) noexcept {
  if (e.n_samples() == 0 || size == 0) return unchecked_malloc.realloc(block, size);
  void* const moved = allocate_tracked({.size = size, .frame = frame}, e);
  if (moved == nullptr) {
    void* const resized = unchecked_malloc.realloc(block, size);
    if (resized != nullptr) engine::drop_block();
    return resized;
  }
  std::memcpy(moved, block, std::min(unchecked_malloc.malloc_usable_size(block), size));
  unchecked_malloc.free(block);
  return moved;
}

/// Resizes a block of the real allocator.
MEMPROF_OWN_CODE void* resize_ordinary(void* block, std::size_t size, bool counted_out,
                                       void const* frame) noexcept {
  if (!counted_out || engine::is_muted(frame, counted_words(size))) {
    return unchecked_malloc.realloc(block, size);
  }
  const engine::event e{counted_words(size)};
  detail::admission admitted{e, detail::admission_point::silent, frame};
  if (size > unchecked_malloc.malloc_usable_size(block) &&
      (refuses(admitted, frame) || has_no_room(size, e))) {
    errno = ENOMEM;
    return nullptr;
  }
  void* const resized = resize_admitted(block, size, e, frame);
  if (resized != nullptr) admitted.grant();
  return resized;
}

/// Ends a block that has grown or shrunk into a new one.
///
/// \param room bytes of the old one
/// \return the new one, or another in its place; null if there is none, and then the old one is as
///   it was.
MEMPROF_OWN_CODE void* take_over(void* grown, std::size_t size, void* block,
                                 std::size_t room) noexcept {
  using enum base::packed_slots::move_result;
  auto result = refused;
  {
    const errno_kept kept;
    result = move_pages(block, grown);
  }
  if (result == moved) return grown;
  if (result == lost) {
    grown = next_malloc.malloc(size);
    if (grown == nullptr) return nullptr;
    engine::drop_block();
  }
  std::memcpy(grown, block, std::min(room, size));
  free_any(block);
  return grown;
}

}  // namespace

[[gnu::cold]] MEMPROF_OWN_CODE void* allocate_slow(request const& r, bool* refused) noexcept {
  if (engine::is_muted(r.frame, counted_words(r.size))) [[unlikely]]
    return allocate_from_next(r);
  const int saved_errno = errno;
  void* block = nullptr;
  {
    const engine::event e{counted_words(r.size)};
    detail::admission admitted{e, detail::admission_point::silent, r.frame};  // does not throw here
    if (r.shrinks || !refuses(admitted, r.frame)) {
      block = obtain(r, e);
    } else if (refused != nullptr) {
      *refused = true;
    }
    if (block != nullptr) admitted.grant();
  }
  errno = block != nullptr ? saved_errno : ENOMEM;
  return block;
}

[[gnu::cold]] MEMPROF_OWN_CODE void* allocate_slow_or_interrupt(request const& r) {
  if (engine::is_muted(r.frame, counted_words(r.size))) [[unlikely]]
    return allocate_from_next(r);
  const engine::event e{counted_words(r.size)};
  engine::register_replacement();
  detail::admission admitted{e, detail::admission_point::delivery, r.frame};
  void* const block = obtain(r, e);
  if (block != nullptr) admitted.grant();
  return block;
}

MEMPROF_OWN_CODE void free_slow(void* block) noexcept { release_slow(block, {}); }

MEMPROF_OWN_CODE void release_slow(void* block, release const& how) noexcept {
  const packed_block found = find_packed(block, how.caller);
  if (found.index == 0) return next_malloc.free(block);
  const errno_kept kept;
  free_packed(block, found, how);
}

[[gnu::cold]] MEMPROF_OWN_CODE std::size_t usable_size_slow(void* block) noexcept {
  const std::uint32_t index = find_packed(block, "malloc_usable_size").index;
  return index != 0 ? usable_size(block, index) : next_malloc.malloc_usable_size(block);
}

[[gnu::cold]] MEMPROF_OWN_CODE void* reallocate_slow(void* block, std::size_t size,
                                                     bool counted_out) noexcept {
  void const* const frame = __builtin_frame_address(0);  // realloc jumps here
  const std::uint32_t tracked = find_tracked(block, "realloc");
  const bool bootstrap = is_bootstrap_block(block);
  if (block != nullptr && tracked == 0 && !bootstrap) {
    return resize_ordinary(block, size, counted_out, frame);
  }
  const std::size_t room = tracked != 0 ? capacity(block, tracked) : bootstrap_block_size;
  void* const moved =
      counted_out ? allocate_slow(
                        {.size = size, .frame = frame, .shrinks = block != nullptr && size <= room})
                  : next_malloc.malloc(size);
  if (block == nullptr) return moved;
  if (size == 0) {  // as glibc: frees and returns null
    free_any(moved);
    free_any(block);
    return nullptr;
  }
  if (moved == nullptr) return nullptr;
  return take_over(moved, size, block, room);
}

// Most of the blocks that begin a page are ordinary ones. (With allocators that lay out blocks of
// one size from the start of a page, that is one block in 4096 / size.) So no call and no stack
// frame come before the jump to the next free.
void free_aligned(void* block) noexcept {
  if (begins_page(block)) [[unlikely]] {
    if (block == nullptr) return;
    if (const std::uint32_t index = find_aligned(block)) return end_aligned(block, index);
    if (is_bootstrap_block(block)) return;
  }
  unchecked_malloc.free(block);
}

MEMPROF_OWN_CODE void* reallocate_aligned(void* block, std::size_t size) noexcept {
  if (begins_page(block) && (find_aligned(block) != 0 || is_bootstrap_block(block))) {
    return reallocate_slow(block, size, false);
  }
  return unchecked_malloc.realloc(block, size);
}

std::size_t usable_size_aligned(void* block) noexcept {
  if (begins_page(block)) {
    if (const std::uint32_t index = find_aligned(block)) return usable_size(block, index);
    if (is_bootstrap_block(block)) return bootstrap_block_size;
  }
  return unchecked_malloc.malloc_usable_size(block);
}

}  // namespace memprof::override
