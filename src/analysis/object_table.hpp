// SPDX-License-Identifier: MIT
/// \file
/// A hash table from object ids to what an analysis knows of the objects that still live.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "memprof/trace/event.hpp"

namespace memprof::analysis {

/// Open addressing, at most three quarters full. `insert` and `erase` invalidate pointers.
///
/// memory      grows with the objects that live at once, not with the trace.
template <class T>
class object_table {
 public:
  object_table() : slots_(64) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The entry of `id`, new or overwritten.
  T& insert(trace::object_id id, T value) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    slot& s = slots_[place(id)];
    if (!s.used) ++size_;
    s = {id, true, std::move(value)};
    return s.value;
  }

  [[nodiscard]] T* find(trace::object_id id) noexcept {
    slot& s = slots_[place(id)];
    return s.used ? &s.value : nullptr;
  }

  void erase(trace::object_id id) noexcept {
    std::size_t hole = place(id);
    if (!slots_[hole].used) return;
    --size_;
    // What follows without a gap moves up if its own place is not behind the hole.
    for (std::size_t i = next(hole); slots_[i].used; i = next(i)) {
      const std::size_t home = hash(slots_[i].id);
      const bool stays = hole <= i ? (hole < home && home <= i) : (hole < home || home <= i);
      if (stays) continue;
      slots_[hole] = std::move(slots_[i]);
      hole = i;
    }
    slots_[hole].used = false;
  }

  /// Calls f(id, value) for each entry, in no order.
  template <class F>
  void for_each(F&& f) {
    for (slot& s : slots_) {
      if (s.used) f(s.id, s.value);
    }
  }

 private:
  struct slot {
    trace::object_id id = 0;
    bool used = false;
    T value{};
  };

  [[nodiscard]] std::size_t hash(trace::object_id id) const noexcept {
    const std::uint64_t mixed = (id ^ (id >> 31)) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(mixed >> 20) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t i) const noexcept {
    return (i + 1) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t place(trace::object_id id) const noexcept {
    std::size_t i = hash(id);
    while (slots_[i].used && slots_[i].id != id) i = next(i);
    return i;
  }
  void grow() {
    std::vector<slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (slot& s : old) {
      if (s.used) slots_[place(s.id)] = std::move(s);
    }
  }

  std::vector<slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace memprof::analysis
