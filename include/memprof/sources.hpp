// SPDX-License-Identifier: MIT
/// \file
/// Explicit sources: what feeds the sampler besides the replacement of operator new and malloc.
///
///  - `memory_resource`: a std::pmr resource that counts what goes through it.
///  - `allocator<T>`: the same for containers with an allocator parameter.
///  - `external`: reports the blocks of a custom allocator, a device, an arena.
///
/// Each block is counted once: what these take from operator new or malloc is not counted again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>

#include "memprof/detail/export.hpp"
#include "memprof/units.hpp"

namespace memprof::inline v0 {

namespace detail {
struct MEMPROF_API source_registration {
  source_registration() noexcept;
  ~source_registration();
  source_registration(source_registration const&) = delete;
  source_registration& operator=(source_registration const&) = delete;
};
MEMPROF_API void* allocate_counted(std::size_t size, std::size_t alignment);
MEMPROF_API void deallocate_counted(void* block, std::size_t size, std::size_t alignment) noexcept;
/// Registers a source for good, because static destructors may still allocate through it.
MEMPROF_API bool register_permanent_source() noexcept;
/// Its initialiser runs only in programs that instantiate `allocator<T>::allocate`.
template <class T>
struct allocator_registration {
  static inline bool const registered = register_permanent_source();
};
}  // namespace detail

/// Counts allocations and passes them to `upstream`. `allocate` is a delivery point.
///
/// \note Threads: as for upstream; with the default one any.
/// \note `allocate` throws limit_exceeded, and what upstream throws.
/// \note Lifetime: must outlive its blocks, like any memory_resource.
class MEMPROF_API memory_resource final : public std::pmr::memory_resource {
 public:
  explicit memory_resource(
      std::pmr::memory_resource* upstream = std::pmr::new_delete_resource()) noexcept
      : upstream_(upstream) {}
  memory_resource(memory_resource const&) = delete;
  memory_resource& operator=(memory_resource const&) = delete;

  [[nodiscard]] std::pmr::memory_resource* upstream() const noexcept { return upstream_; }

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t size, std::size_t alignment) override;
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override {
    return this == &other;
  }

  std::pmr::memory_resource* upstream_;
  detail::source_registration registration_;
};

/// A standard allocator that counts. `allocate` is a delivery point. All instances are equal.
template <class T>
class allocator {
 public:
  using value_type = T;
  using is_always_equal = std::true_type;

  constexpr allocator() noexcept = default;
  template <class U>
  constexpr allocator(allocator<U> const&) noexcept {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t n) {
    // Taking the address keeps the registration's initialiser in every program that allocates here.
    static_cast<void>(&detail::allocator_registration<T>::registered);
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(detail::allocate_counted(n * sizeof(T), alignof(T)));
  }
  void deallocate(T* block, std::size_t n) noexcept {
    detail::deallocate_counted(block, n * sizeof(T), alignof(T));
  }

  template <class U>
  friend constexpr bool operator==(allocator const&, allocator<U> const&) noexcept {
    return true;
  }
};

/// Reports the blocks of an allocator that the library cannot see.
///
///     memprof::external device_memory{"device"};
///     void* p = device_alloc(n);   device_memory.report_allocation(p, memprof::bytes(n));
///     device_free(p);              device_memory.report_deallocation(p);
///
/// A report charges the limits of the calling thread, but is not a delivery point: an interrupt
/// comes at the next one. Addresses are only keys and never read. They must differ from those of
/// blocks that another source counts.
///
/// \note Threads: any, at the same time; any thread may report that a block was freed.
/// \note Lifetime: blocks that it reported stay counted if it is destroyed first.
class MEMPROF_API external {
 public:
  /// \param name a literal, for reports; null is refused with std::invalid_argument.
  explicit external(char const* name);
  external(external const&) = delete;
  external& operator=(external const&) = delete;

  [[nodiscard]] char const* name() const noexcept { return name_; }

  /// \param block not null; size >= 0; else std::invalid_argument. A size beyond the address space
  ///   (2^47 bytes) is compared with the limits, but counted nowhere.
  void report_allocation(void const* block, bytes size);
  /// No effect if `block` is null or was not reported before.
  void report_deallocation(void const* block) noexcept;

 private:
  char const* name_;
  detail::source_registration registration_;
};

}  // namespace memprof::inline v0
