// SPDX-License-Identifier: MIT
#include "delivery/reader/runtime_addresses.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <unwind.h>

extern "C" _Unwind_Reason_Code __gxx_personality_v0(int, _Unwind_Action, std::uint64_t,
                                                    _Unwind_Exception*, _Unwind_Context*);

namespace memprof::delivery {
namespace {

/// A set of addresses with a small number each, lock-free, that only grows.
/// entry = | number: 8 | address: 56 |; 0 is empty.
class address_table {
 public:
  void add(std::uintptr_t address, std::uint8_t number) noexcept {
    const std::uint64_t wanted = std::uint64_t{number} << 56 | address;
    for (std::size_t i = hash(address), n = 0; n < entries_.size(); ++n, i = next(i)) {
      std::uint64_t found = 0;
      if (entries_[i].compare_exchange_strong(found, wanted, std::memory_order_acq_rel)) return;
      if ((found & address_mask) == address) return;  // the first name stays
    }
  }

  /// 0 if it is not there.
  [[nodiscard]] std::uint8_t find(std::uintptr_t address) const noexcept {
    for (std::size_t i = hash(address), n = 0; n < entries_.size(); ++n, i = next(i)) {
      const std::uint64_t found = entries_[i].load(std::memory_order_acquire);
      if (found == 0) return 0;
      if ((found & address_mask) == address) return static_cast<std::uint8_t>(found >> 56);
    }
    return 0;
  }

 private:
  static constexpr std::uint64_t address_mask = (std::uint64_t{1} << 56) - 1;
  static constexpr unsigned bits = 12;
  static constexpr std::size_t hash(std::uintptr_t a) noexcept {
    return (a * 0x9e3779b97f4a7c15u) >> (64 - bits);
  }
  [[nodiscard]] std::size_t next(std::size_t i) const noexcept { return (i + 1) % entries_.size(); }

  std::array<std::atomic<std::uint64_t>, std::size_t{1} << bits> entries_{};
};

constinit address_table functions;
constinit address_table personalities;
constinit std::atomic<std::uintptr_t> unwinder{0};
constinit std::atomic<bool> two_unwinders{false};

void add_named(std::uintptr_t address, runtime_function f) noexcept {
  functions.add(address, static_cast<std::uint8_t>(f));
}

}  // namespace

language language_of(std::uintptr_t personality) noexcept {
  if (personality == 0) return language::none;
  const std::uint8_t found = personalities.find(personality);
  return found == 0 ? language::other : static_cast<language>(found);
}

void add_personality(std::uintptr_t personality, language l) noexcept {
  if (personality != 0) personalities.add(personality, static_cast<std::uint8_t>(l));
}

void add_runtime_function(char const* name, std::uintptr_t address) noexcept {
  if (std::strcmp(name, "__gxx_personality_v0") == 0) {
    add_personality(address, language::cxx);
  } else if (std::strcmp(name, "__gcc_personality_v0") == 0) {
    add_personality(address, language::c);
  } else if (const runtime_function f = runtime_function_named(name); f != runtime_function::none) {
    add_named(address, f);
  }
}

void add_unwinder(std::uintptr_t address) noexcept {
  std::uintptr_t none = 0;
  if (!unwinder.compare_exchange_strong(none, address) && none != address) two_unwinders = true;
}

void add_own_runtime() noexcept {
  add_personality(reinterpret_cast<std::uintptr_t>(&__gxx_personality_v0), language::cxx);
  add_named(reinterpret_cast<std::uintptr_t>(&_Unwind_Resume), runtime_function::resume);
  add_named(reinterpret_cast<std::uintptr_t>(&abi::__cxa_begin_catch),
            runtime_function::begin_catch);
  add_named(reinterpret_cast<std::uintptr_t>(&abi::__cxa_end_catch), runtime_function::end_catch);
  add_named(reinterpret_cast<std::uintptr_t>(&abi::__cxa_rethrow), runtime_function::rethrow);
  add_named(reinterpret_cast<std::uintptr_t>(&abi::__cxa_throw), runtime_function::throw_new);
  add_named(reinterpret_cast<std::uintptr_t>(&std::rethrow_exception), runtime_function::throw_new);
  add_named(reinterpret_cast<std::uintptr_t>(&std::terminate), runtime_function::terminate);
}

runtime_function runtime_function_at(std::uintptr_t address) noexcept {
  return static_cast<runtime_function>(functions.find(address));
}

bool has_two_unwinders() noexcept { return two_unwinders.load(std::memory_order_relaxed); }

}  // namespace memprof::delivery
