// SPDX-License-Identifier: MIT
/// \file
/// An array that grows, in mapped pages: nothing of it is allocated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/page_memory.hpp"

namespace memprof::base {

/// \tparam T begins as zeroed memory, and is moved by copying its bytes.
/// \note Threads: one at a time.
template <class T>
class mapped_array {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  mapped_array() noexcept = default;
  ~mapped_array() { unmap(); }
  mapped_array(mapped_array const&) = delete;
  mapped_array& operator=(mapped_array const&) = delete;

  /// At least so many elements, those that are new zeroed. False without memory.
  bool grow_to(std::size_t size) noexcept {
    if (size <= size_) return true;
    if (size > capacity_ && !reserve(size)) return false;
    size_ = size;
    return true;
  }
  bool push_back(T const& element) noexcept {
    if (!grow_to(size_ + 1)) return false;
    elements_[size_ - 1] = element;
    return true;
  }
  /// Before the element at `position`.
  bool insert(std::size_t position, T const& element) noexcept {
    if (!grow_to(size_ + 1)) return false;
    std::copy_backward(begin() + position, end() - 1, end());
    elements_[position] = element;
    return true;
  }
  void erase(std::size_t first, std::size_t last) noexcept {
    std::copy(begin() + last, end(), begin() + first);
    std::fill(end() - (last - first), end(), T{});
    size_ -= last - first;
  }

  void swap(mapped_array& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  T* begin() noexcept { return elements_; }
  T* end() noexcept { return elements_ + size_; }
  [[nodiscard]] T const* begin() const noexcept { return elements_; }
  [[nodiscard]] T const* end() const noexcept { return elements_ + size_; }
  T& operator[](std::size_t i) noexcept { return elements_[i]; }
  T const& operator[](std::size_t i) const noexcept { return elements_[i]; }

 private:
  bool reserve(std::size_t wanted) noexcept {
    const std::size_t bytes = whole_pages(std::max(wanted, 2 * capacity_) * sizeof(T));
    void* const fresh = map_pages(bytes);
    if (fresh == nullptr) return false;
    if (size_ > 0) std::memcpy(fresh, elements_, size_ * sizeof(T));
    unmap();
    elements_ = static_cast<T*>(fresh);
    capacity_ = bytes / sizeof(T);
    return true;
  }
  void unmap() noexcept {
    if (elements_ != nullptr) unmap_pages(elements_, whole_pages(capacity_ * sizeof(T)));
  }

  T* elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace memprof::base
