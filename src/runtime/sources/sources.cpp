// SPDX-License-Identifier: MIT
#include "memprof/sources.hpp"

#include <stdexcept>

#include "sources/counted_allocation.hpp"

namespace memprof::inline v0 {
namespace {

/// Whether the replacement of operator new counts the blocks already.
bool counted_by_replacement(std::pmr::memory_resource const* upstream) noexcept {
  return engine::replacement_in_effect() && upstream == std::pmr::new_delete_resource();
}

}  // namespace

namespace detail {

source_registration::source_registration() noexcept { engine::register_source(); }
source_registration::~source_registration() { engine::unregister_source(); }

bool register_permanent_source() noexcept {
  engine::register_source();
  return true;
}

void* allocate_counted(std::size_t size, std::size_t alignment) {
  const auto obtain = [alignment](std::size_t n) {
    return alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__
               ? ::operator new (n, std::align_val_t{alignment})
               : ::operator new(n);
  };
  if (engine::replacement_in_effect()) return obtain(size);
  return sources::allocate(size, __builtin_frame_address(0), obtain);
}

void deallocate_counted(void* block, std::size_t /*size*/, std::size_t alignment) noexcept {
  if (!engine::replacement_in_effect()) sources::untrack_at(block);
  // Without the size: clang 16 to 18 have the sized form only with -fsized-deallocation.
  if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    ::operator delete (block, std::align_val_t{alignment});
  } else {
    ::operator delete(block);
  }
}

}  // namespace detail

void* memory_resource::do_allocate(std::size_t size, std::size_t alignment) {
  if (counted_by_replacement(upstream_)) return upstream_->allocate(size, alignment);
  return sources::allocate(size, __builtin_frame_address(0),
                           [&](std::size_t n) { return upstream_->allocate(n, alignment); });
}

void memory_resource::do_deallocate(void* block, std::size_t size, std::size_t alignment) {
  if (!counted_by_replacement(upstream_)) sources::untrack_at(block);
  upstream_->deallocate(block, size, alignment);
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
  void const* const frame = __builtin_frame_address(0);
  const auto length = static_cast<std::size_t>(size.count());
  const std::int64_t words = sources::words_of(length);
  engine::current.countdown -= words;
  if (engine::current.countdown >= 0) [[likely]]
    return;
  const engine::event e{words};
  detail::admit(e, detail::admission_point::silent);
  if (e.n_samples() > 0) sources::track_at(block, length, e, engine::source::external, frame);
}

void external::report_deallocation(void const* block) noexcept {
  if (block != nullptr) sources::untrack_at(block);
}

}  // namespace memprof::inline v0
