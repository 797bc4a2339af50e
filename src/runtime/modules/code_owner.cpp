// SPDX-License-Identifier: MIT
#include "modules/code_owner.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "modules/find_module.hpp"
#include "modules/permanent_modules.hpp"

namespace memprof::modules {
namespace {

/// 20 bytes from the usual linkers; a longer one is cut.
using build_id = std::array<std::uint64_t, 3>;

/// All that is compared. Words, so that a reader may meet a writer.
struct identity {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t tables = 0;
  build_id id{};
};
constexpr std::size_t identity_words = sizeof(identity) / sizeof(std::uint64_t);
using identity_as_words = std::array<std::uint64_t, identity_words>;

struct known_module {
  std::atomic<std::uint32_t> state{0};  ///< 0: free, 1: being filled, 2: filled
  std::array<std::atomic<std::uint64_t>, identity_words> words{};
};

constexpr std::size_t most_modules = 4096;
constinit std::array<known_module, most_modules> modules;

bool is(known_module const& m, identity_as_words const& words) noexcept {
  for (std::size_t i = 0; i < identity_words; ++i) {
    if (m.words[i].load(std::memory_order_relaxed) != words[i]) return false;
  }
  return true;
}

/// Its number, a new one the first time; 0 if there is no room.
module_number number_of(identity const& wanted) noexcept {
  identity_as_words words;
  std::memcpy(words.data(), &wanted, sizeof wanted);
  std::size_t place = (wanted.begin >> 12) * 0x9e3779b97f4a7c15u >> 52;
  for (std::size_t probe = 0; probe < 64; ++probe, place = (place + 1) % most_modules) {
    if (place == 0) continue;
    known_module& m = modules[place];
    std::uint32_t state = m.state.load(std::memory_order_acquire);
    if (state == 0 && m.state.compare_exchange_strong(state, 1, std::memory_order_acquire)) {
      for (std::size_t i = 0; i < identity_words; ++i) {
        m.words[i].store(words[i], std::memory_order_relaxed);
      }
      m.state.store(2, std::memory_order_release);
      return static_cast<module_number>(place);
    }
    if (state == 2 && is(m, words)) return static_cast<module_number>(place);
  }
  return 0;
}

}  // namespace

bool find_owner(std::uintptr_t pc, code_owner& owner) noexcept {
  owner = {};
  if (listed_module const* const m = permanent_module_at(pc)) {
    owner = {.range = m->range, .permanent = true};
    return true;
  }
  found_module found;
  if (!find_module(pc, found)) return false;
  owner.range = found.range;
  // The build id is looked for in the first page alone, where linkers put it: that one is mapped,
  // whatever module it is.
  const auto id = found.image().build_id(found.range.begin + page_size);
  if (id.size() >= 8) {
    identity wanted{.begin = found.range.begin,
                    .end = found.range.end,
                    .tables = reinterpret_cast<std::uintptr_t>(found.eh_frame_header)};
    std::memcpy(wanted.id.data(), id.data(), std::min(id.size(), sizeof wanted.id));
    owner.number = number_of(wanted);
  }
  owner.known_again = owner.number != 0;
  return true;
}

}  // namespace memprof::modules
