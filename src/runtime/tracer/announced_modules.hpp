// SPDX-License-Identifier: MIT
/// \file
/// Which modules the recorder knows: each is announced before the first stack with code of it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/base.hpp"
#include "callstack/callstack.hpp"
#include "modules/modules.hpp"
#include "relay/relay.hpp"

namespace memprof::tracer {

/// Where records go: a channel, and the memory that it is in.
struct relay_target {
  relay::control& shared;
  relay::channel& channel;
};

/// Never asks the loader: a module is found by `_dl_find_object`, which takes no lock, while one of
/// its functions is on the stack, so it stays loaded. One that took another's place has another
/// identity, and is announced again.
///
/// \note Threads: any.
class announced_modules {
 public:
  /// Pushes a record; false if there is no room for it.
  using sender = bool (*)(relay_target const& to, std::span<std::uint64_t const> first,
                          std::span<std::uint64_t const> rest) noexcept;

  /// Announces the modules that are never unloaded. Once, before the first event of a process.
  static void begin(relay_target const& to, sender send) noexcept;

  /// Announces what is new in this stack, which the calling thread is on. False: there was no room
  /// for it, and it is tried again at the next stack.
  bool announce(std::span<std::uintptr_t const> frames, relay_target const& to,
                sender send) noexcept {
    // Most stacks come again and again. A collision of 64 bits costs the name of a module.
    const std::uint64_t hash = callstack::hash_of(frames);
    std::atomic<std::uint64_t>& known = known_[hash % known_.size()];
    if (known.load(std::memory_order_relaxed) == hash) [[likely]] {
      return true;
    }
    bool lasting = true;
    if (!look_at(frames, to, send, lasting)) return false;
    if (lasting) known.store(hash, std::memory_order_relaxed);
    return true;
  }

  /// In a forked child, whose recording begins without any.
  void forget() noexcept;

 private:
  /// A module that may be unloaded, at its place.
  struct place {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uint64_t identity = 0;
  };

  /// \param lasting set to false if the stack has code of a module that may be unloaded.
  bool look_at(std::span<std::uintptr_t const> frames, relay_target const& to, sender send,
               bool& lasting) noexcept;
  bool announce_unloadable(modules::found_module const& found, relay_target const& to,
                           sender send) noexcept;

  std::array<std::atomic<std::uint64_t>, 4096> known_{};  ///< hashes of stacks
  /// Guards `places_`, but for `forget`. Where it is taken, a module is announced once more.
  std::atomic<bool> taken_{false};
  base::bounded_list<place, 1024> places_;
};

}  // namespace memprof::tracer
