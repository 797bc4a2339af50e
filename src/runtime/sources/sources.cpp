// SPDX-License-Identifier: MIT
#include "memprof/sources.hpp"

#include <stdexcept>

#include "copies/copies.hpp"
#include "sources/counted_allocation.hpp"

namespace memprof::inline v0 {
namespace {

/// Whether the replacement of operator new counts the blocks already.
bool counted_by_replacement(std::pmr::memory_resource const* upstream) noexcept {
  return engine::replacement_in_effect() && upstream == std::pmr::new_delete_resource();
}

}  // namespace

namespace detail {

void register_source() noexcept {
  if (auto const* const other = copies::other()) return other->register_source();
  engine::register_source();
}

void unregister_source() noexcept {
  if (auto const* const other = copies::other()) return other->unregister_source();
  engine::unregister_source();
}

source_registration::source_registration() noexcept { register_source(); }
source_registration::~source_registration() { unregister_source(); }

bool register_permanent_source() noexcept {
  register_source();
  return true;
}

void* allocate_counted(std::size_t size, std::size_t alignment) {
  if (auto const* const other = copies::other()) return other->allocate_counted(size, alignment);
  const auto obtain = [alignment](std::size_t n) {
    return alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__
               ? ::operator new (n, std::align_val_t{alignment})
               : ::operator new(n);
  };
  if (engine::replacement_in_effect()) return obtain(size);
  return sources::allocate(size, __builtin_frame_address(0), obtain);
}

void deallocate_counted(void* block, std::size_t size, std::size_t alignment) noexcept {
  if (auto const* const other = copies::other())
    return other->deallocate_counted(block, size, alignment);
  if (!engine::replacement_in_effect()) sources::untrack_at(block);
  // Without the size: clang 16 to 18 have the sized form only with -fsized-deallocation.
  if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    ::operator delete (block, std::align_val_t{alignment});
  } else {
    ::operator delete(block);
  }
}

void* allocate_from(std::pmr::memory_resource* upstream, std::size_t size, std::size_t alignment) {
  if (auto const* const other = copies::other())
    return other->allocate_from(upstream, size, alignment);
  if (counted_by_replacement(upstream)) return upstream->allocate(size, alignment);
  return sources::allocate(size, __builtin_frame_address(0),
                           [&](std::size_t n) { return upstream->allocate(n, alignment); });
}

void deallocate_to(std::pmr::memory_resource* upstream, void* block, std::size_t size,
                   std::size_t alignment) {
  if (auto const* const other = copies::other())
    return other->deallocate_to(upstream, block, size, alignment);
  if (!counted_by_replacement(upstream)) sources::untrack_at(block);
  upstream->deallocate(block, size, alignment);
}

void report_allocation(void const* block, std::size_t size) noexcept {
  if (auto const* const other = copies::other()) return other->report_allocation(block, size);
  const std::int64_t words = sources::words_of(size);
  engine::current.countdown -= words;
  if (engine::current.countdown >= 0) [[likely]]
    return;
  if (engine::is_muted(__builtin_frame_address(0), words)) return;
  const engine::event e{words};
  admission admitted{e, admission_point::silent, __builtin_frame_address(0)};
  if (e.n_samples() > 0) {
    sources::track_at(block, size, e, engine::source::external, __builtin_frame_address(0));
  }
  admitted.grant();
}

void report_deallocation(void const* block) noexcept {
  if (auto const* const other = copies::other()) return other->report_deallocation(block);
  sources::untrack_at(block);
}

}  // namespace detail

// The functions called here take the place of these ones on the stack, because the calls are the
// last things done: stacks begin at the program's call.
void* memory_resource::do_allocate(std::size_t size, std::size_t alignment) {
  return detail::allocate_from(upstream_, size, alignment);
}

void memory_resource::do_deallocate(void* block, std::size_t size, std::size_t alignment) {
  detail::deallocate_to(upstream_, block, size, alignment);
}

external::external(char const* name) : name_(name) {
  if (name == nullptr) throw std::invalid_argument("memprof::external: the name is null");
}

void external::report_allocation(void const* block, bytes size) {
  if (block == nullptr) {
    throw std::invalid_argument("memprof::external '" + std::string(name_) +
                                "': the block is null");
  }
  if (size.count() < 0) {
    throw std::invalid_argument("memprof::external '" + std::string(name_) +
                                "': the size is negative: " + std::to_string(size.count()));
  }
  detail::report_allocation(block, static_cast<std::size_t>(size.count()));
}

void external::report_deallocation(void const* block) noexcept {
  if (block != nullptr) detail::report_deallocation(block);
}

}  // namespace memprof::inline v0
