// SPDX-License-Identifier: MIT
/// \file
/// The other half of memprof/sampling.hpp: a tracker with its types erased, and the storage of a
/// block's data.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "memprof/sampling.hpp"

namespace memprof::inline v0::detail {

/// Storage for the data of a block: the data itself, or a pointer to it.
struct block_data {
  alignas(16) std::byte bytes[32];
};

/// How a T is kept in a `block_data`. The library never moves a `block_data`, so a kept T does not
/// move either.
template <class T>
struct kept {
  static constexpr bool in_place =
      sizeof(T) <= sizeof(block_data) && alignof(T) <= alignof(block_data);

  static void put(block_data& data, T&& value) {
    if constexpr (in_place) {
      ::new (static_cast<void*>(data.bytes)) T(std::move(value));
    } else {
      ::new (static_cast<void*>(data.bytes)) T*(new T(std::move(value)));
    }
  }
  static T* at(block_data& data) noexcept {
    if constexpr (in_place) {
      return std::launder(reinterpret_cast<T*>(data.bytes));
    } else {
      return *std::launder(reinterpret_cast<T**>(data.bytes));
    }
  }
  static void destroy(block_data& data) noexcept {
    if constexpr (in_place) {
      std::destroy_at(at(data));
    } else {
      delete at(data);
    }
  }
};

/// Destroys the data of a block at the end of the scope, whatever happened.
template <class T>
class consumed {
 public:
  explicit consumed(block_data& data) noexcept : data_(data) {}
  ~consumed() { kept<T>::destroy(data_); }
  consumed(consumed const&) = delete;
  consumed& operator=(consumed const&) = delete;
  T&& value() noexcept { return std::move(*kept<T>::at(data_)); }

 private:
  block_data& data_;
};

/// A tracker with its types erased. Several threads may call it at once, but only one for a block.
class tracker_functions {
 public:
  tracker_functions() = default;
  tracker_functions(tracker_functions const&) = delete;
  tracker_functions& operator=(tracker_functions const&) = delete;
  virtual ~tracker_functions() = default;

  /// Whether `allocated` can return true for such blocks.
  [[nodiscard]] virtual bool wants(bool minor) const noexcept = 0;
  /// True: `into` now holds data.
  virtual bool allocated(allocation const& a, bool minor, block_data& into) = 0;
  /// Destroys the minor's data, even if it throws. True: `data` now holds the major's.
  virtual bool promoted(block_data& data) = 0;
  /// Destroys the data, even if it throws.
  virtual void freed(block_data& data, bool major) = 0;
  virtual void destroy(block_data& data, bool major) noexcept = 0;
};

template <class Minor, class Major>
class typed_functions final : public tracker_functions {
 public:
  explicit typed_functions(tracker<Minor, Major>&& t) noexcept : t_(std::move(t)) {}

  [[nodiscard]] bool wants(bool minor) const noexcept override {
    return minor ? static_cast<bool>(t_.alloc_minor) : static_cast<bool>(t_.alloc_major);
  }

  bool allocated(allocation const& a, bool minor, block_data& into) override {
    return minor ? keep<Minor>(t_.alloc_minor(a), into) : keep<Major>(t_.alloc_major(a), into);
  }

  bool promoted(block_data& data) override {
    std::optional<Major> result = [&]() -> std::optional<Major> {
      consumed<Minor> minor(data);
      return t_.promote ? t_.promote(minor.value()) : std::nullopt;
    }();
    return keep<Major>(std::move(result), data);
  }

  void freed(block_data& data, bool major) override {
    if (major) {
      consumed<Major> value(data);
      if (t_.dealloc_major) t_.dealloc_major(value.value());
    } else {
      consumed<Minor> value(data);
      if (t_.dealloc_minor) t_.dealloc_minor(value.value());
    }
  }

  void destroy(block_data& data, bool major) noexcept override {
    if (major) {
      kept<Major>::destroy(data);
    } else {
      kept<Minor>::destroy(data);
    }
  }

 private:
  template <class T>
  static bool keep(std::optional<T>&& value, block_data& into) {
    if (!value) return false;
    kept<T>::put(into, *std::move(value));
    return true;
  }

  tracker<Minor, Major> t_;
};

}  // namespace memprof::inline v0::detail

namespace memprof::inline v0 {

template <class Minor, class Major>
profile start(sampling_rate rate, tracker<Minor, Major> functions, profile_options options) {
  return start_profile(
      rate, std::make_unique<detail::typed_functions<Minor, Major>>(std::move(functions)), options);
}

template <class Minor, class Major>
profile start(sampling_rate rate, tracker<Minor, Major> functions, std::size_t callstack_size) {
  return start(rate, std::move(functions), profile_options{.callstack_size = callstack_size});
}

inline profile start(sampling_rate rate, null_tracker_t, profile_options options) {
  return start(rate, tracker<char, char>{}, options);
}

inline profile start(sampling_rate rate, null_tracker_t, std::size_t callstack_size) {
  return start(rate, tracker<char, char>{}, callstack_size);
}

}  // namespace memprof::inline v0
