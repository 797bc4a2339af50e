// SPDX-License-Identifier: MIT
/// \file
/// Descriptors of the small server. A forked child has none of its threads, and keeps none of its
/// sockets: the port of a server that ended would stay taken as long as the child lives.
#pragma once

#include <mutex>

namespace memprof::http {

/// A descriptor; closed when this is destroyed, and in a forked child at once.
///
/// \note Threads: any.
class descriptor {
 public:
  /// \param number of one that is open, or -1.
  explicit descriptor(int number = -1) noexcept;
  descriptor(descriptor&& other) noexcept;
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor();

  /// What `make` returns, a number or -1. No fork comes between; so `make` neither waits nor
  /// allocates.
  template <class Make>
  static descriptor made_by(Make const& make) noexcept {
    descriptor result;
    guard().lock();
    result.link(make());
    guard().unlock();
    return result;
  }

  /// -1: none; and in a child that has been forked since it was made.
  [[nodiscard]] int get() const noexcept { return number_; }

 private:
  friend struct closing_in_children;

  /// Guards the list of all descriptors that are open. Held by a fork, and for a few instructions
  /// or one system call: never while memory is allocated.
  static std::mutex& guard() noexcept;
  void link(int number) noexcept;
  void unlink() noexcept;

  int number_ = -1;
  descriptor* next_ = nullptr;
  descriptor* previous_ = nullptr;
};

}  // namespace memprof::http
