// SPDX-License-Identifier: MIT
/// \file
/// The shared memory in the recorder, which makes it.
#pragma once

#include <cstddef>
#include <string>

#include "relay/relay.hpp"

namespace memprof::recorder {

class shared_memory {
 public:
  /// \param children processes that the first one starts are recorded, too.
  /// \param made -1, or a descriptor of memory that a process has made to which we attach
  ///   (attachment.hpp); it is closed.
  /// \throws std::system_error if the kernel refuses.
  shared_memory(bool children, int made);
  ~shared_memory();
  shared_memory(shared_memory const&) = delete;
  shared_memory& operator=(shared_memory const&) = delete;

  [[nodiscard]] relay::control& shared() const noexcept { return area_->shared; }
  [[nodiscard]] relay::channel& channel(std::size_t i) const noexcept { return area_->channels[i]; }

  /// For the environment of the program.
  [[nodiscard]] std::string invitation() const { return invitation_.written().data(); }

  /// In the forked child that will execute the program.
  void enter_first_process() const noexcept;

  /// A channel whose process has ended, and whose records were taken: free for the next one. Its
  /// memory goes back.
  void recycle(std::size_t i) noexcept;

 private:
  int descriptor_ = -1;
  relay::area* area_ = nullptr;
  relay::invitation invitation_;
};

}  // namespace memprof::recorder
