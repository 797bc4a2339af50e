// SPDX-License-Identifier: MIT
#include "delivery/decide/delivery_overrides.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>

#include "callstack/callstack.hpp"
#include "copies/copies.hpp"
#include "delivery/decide/code_facts.hpp"
#include "delivery/decide/unsafe_functions.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {
namespace {

struct delivery_override {
  std::atomic<bool> made = false;  ///< publishes the rest, which never changes afterwards
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  delivery_through how = delivery_through::by_tables;
};

constexpr std::size_t most_overrides = 64;
constinit std::array<delivery_override, most_overrides> overrides;
constinit std::atomic<std::size_t> count{0};

// Of the limit function. `end` is published last, and read first.
constinit std::atomic<std::uintptr_t> limit_function_begin{0};
constinit std::atomic<std::uintptr_t> limit_function_end{0};

void add(std::uintptr_t begin, std::uintptr_t end, delivery_through how) {
  std::size_t place = count.load(std::memory_order_relaxed);
  do {
    if (place == most_overrides) {
      throw std::length_error("memprof::set_delivery_through: more than 64 stretches of code");
    }
  } while (!count.compare_exchange_weak(place, place + 1, std::memory_order_relaxed));
  delivery_override& d = overrides[place];
  d.begin = begin;
  d.end = end;
  d.how = how;
  d.made.store(true, std::memory_order_release);
}

/// Is it the module that the program calls `wanted`, by its path or file name?
bool is_called(dl_phdr_info const& module, char const* wanted) noexcept {
  if (std::strcmp(module.dlpi_name, wanted) == 0) return true;
  char const* const slash = std::strrchr(module.dlpi_name, '/');
  return slash != nullptr && std::strcmp(slash + 1, wanted) == 0;
}

}  // namespace

delivery_through override_at(std::uintptr_t pc) noexcept {
  for (std::size_t i = count.load(std::memory_order_relaxed); i > 0; --i) {
    delivery_override const& d = overrides[i - 1];
    if (d.made.load(std::memory_order_acquire) && pc >= d.begin && pc < d.end) return d.how;
  }
  return delivery_through::by_tables;
}

bool limits_were_entered() noexcept {
  return limit_function_end.load(std::memory_order_acquire) != 0;
}

void set_limit_function(std::uintptr_t code) noexcept {
  if (limit_function_end.load(std::memory_order_relaxed) != 0) return;
  callstack::procedure p;
  if (!callstack::find_procedure(code, p)) return;
  limit_function_begin.store(p.begin, std::memory_order_relaxed);
  limit_function_end.store(p.end, std::memory_order_release);
}

bool is_in_limit_function(std::uintptr_t pc) noexcept {
  return pc < limit_function_end.load(std::memory_order_acquire) &&
         pc >= limit_function_begin.load(std::memory_order_relaxed);
}

}  // namespace memprof::delivery

namespace memprof::inline v0 {

void set_delivery_through(void const* begin, void const* end, delivery_through how) {
  if (auto const* const other = copies::other())
    return other->set_delivery_through(begin, end, how);
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const auto to = reinterpret_cast<std::uintptr_t>(end);
  if (from >= to) {
    throw std::invalid_argument("memprof::set_delivery_through: the stretch of code is empty");
  }
  delivery::add(from, to, how);
}

void set_delivery_through_module(char const* module, delivery_through how) {
  if (auto const* const other = copies::other())
    return other->set_delivery_through_module(module, how);
  if (module == nullptr) {
    throw std::invalid_argument("memprof::set_delivery_through_module: the name is null");
  }
  modules::address_range found;
  modules::visit_modules([&found, module](dl_phdr_info const& info) noexcept {
    if (!delivery::is_called(info, module)) return true;
    found = modules::loaded_image::of(info).extent();
    return false;
  });
  if (found.end == 0) {
    throw std::invalid_argument("memprof::set_delivery_through_module: no module '" +
                                std::string(module) + "' is loaded");
  }
  delivery::add(found.begin, found.end, how);
}

void set_delivery_through_function(std::string_view pattern, delivery_through how) {
  if (auto const* const other = copies::other())
    return other->set_delivery_through_function(pattern, how);
  if (how != delivery_through::never && how != delivery_through::by_tables) {
    throw std::invalid_argument(
        "memprof::set_delivery_through_function: only delivery_through::never and by_tables");
  }
  if (delivery::limits_were_entered()) {
    throw std::logic_error(
        "memprof::set_delivery_through_function: call it before the first limit is entered");
  }
  delivery::add_function_pattern(pattern, how == delivery_through::never);
}

}  // namespace memprof::inline v0
