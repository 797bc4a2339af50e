// SPDX-License-Identifier: MIT
/// \file
/// What is remembered of each sampled block of a trace, by its id.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "memprof/trace/event.hpp"

namespace memprof::analysis {

/// Ids come in runs, so records lie in pages of 64, and a page whose records are all gone is given
/// back: memory grows with the blocks that live at one time.
template <class Record>
class object_table {
 public:
  /// A record for a new object, all zero. An object of that id that was there is forgotten.
  Record& insert(trace::object_id id) {
    page* const p = make_page(id / page_size);
    const std::uint64_t bit = std::uint64_t{1} << (id % page_size);
    size_ += (p->present & bit) == 0 ? 1 : 0;
    p->present |= bit;
    return p->records[id % page_size] = Record{};
  }

  /// Null if there is none.
  [[nodiscard]] Record* find(trace::object_id id) noexcept {
    page* const p = page_of(id / page_size);
    if (p == nullptr || (p->present >> (id % page_size) & 1) == 0) return nullptr;
    return &p->records[id % page_size];
  }

  /// The object must be there.
  void erase(trace::object_id id) noexcept {
    const std::uint64_t number = id / page_size;
    page* const p = page_of(number);
    p->present &= ~(std::uint64_t{1} << (id % page_size));
    --size_;
    if (p->present == 0 && number != newest_) forget_page(number);
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// f(id, record) for all that are there.
  template <class F>
  void for_each(F&& f) {
    const auto visit = [&](std::uint64_t number, page& p) {
      for (std::uint64_t left = p.present; left != 0; left &= left - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(left));
        f(number * page_size + i, p.records[i]);
      }
    };
    for (std::uint64_t i = 0; i < near_.size(); ++i) {
      if (near_[i]) visit(i, *near_[i]);
    }
    for (auto& [number, p] : far_) visit(number, *p);
  }

 private:
  static constexpr std::uint64_t page_size = 64;
  static constexpr std::uint64_t near_pages = 1 << 22;  // ids below 2^28 without hashing
  struct page {
    std::uint64_t present = 0;
    Record records[page_size]{};
  };

  page* page_of(std::uint64_t number) noexcept {
    if (number < near_.size()) return near_[number].get();
    if (far_.empty()) return nullptr;
    const auto at = far_.find(number);
    return at == far_.end() ? nullptr : at->second.get();
  }

  page* make_page(std::uint64_t number) {
    newest_ = number;
    if (number >= near_pages) {
      auto& p = far_[number];
      if (!p) p = take();
      return p.get();
    }
    if (number >= near_.size()) near_.resize(number + 1);
    auto& p = near_[number];
    if (!p) p = take();
    return p.get();
  }

  std::unique_ptr<page> take() { return spare_ ? std::move(spare_) : std::make_unique<page>(); }

  void forget_page(std::uint64_t number) noexcept {
    if (number < near_.size()) {
      spare_ = std::move(near_[number]);
    } else if (const auto at = far_.find(number); at != far_.end()) {
      spare_ = std::move(at->second);
      far_.erase(at);
    }
  }

  std::vector<std::unique_ptr<page>> near_;
  std::unordered_map<std::uint64_t, std::unique_ptr<page>> far_;
  std::unique_ptr<page> spare_;
  std::uint64_t newest_ = 0;  // the page that is being filled is kept
  std::uint64_t size_ = 0;
};

}  // namespace memprof::analysis
