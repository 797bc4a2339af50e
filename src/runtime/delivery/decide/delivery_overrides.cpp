// SPDX-License-Identifier: MIT
#include "delivery/decide/delivery_overrides.hpp"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>

#include "memprof/limits.hpp"

#include "callstack/callstack.hpp"
#include "copies/copies.hpp"
#include "delivery/decide/code_facts.hpp"
#include "delivery/decide/override_table.hpp"
#include "delivery/decide/unsafe_functions.hpp"
#include "delivery/delivery.hpp"
#include "modules/modules.hpp"

namespace memprof::delivery {
namespace {

constinit override_table<delivery_through> overrides;
constinit override_table<malloc_policy> malloc_overrides;

// Of the limit function. `end` is published last, and read first.
constinit std::atomic<std::uintptr_t> limit_function_begin{0};
constinit std::atomic<std::uintptr_t> limit_function_end{0};

/// Throws std::length_error, in the name of `function`, if the table is full.
template <class Value>
void add(override_table<Value>& table, char const* function, modules::address_range range,
         Value value) {
  if (table.add(range.begin, range.end, value)) return;
  throw std::length_error("memprof::" + std::string(function) + ": more than 64 stretches of code");
}

/// Is it the module that the program calls `wanted`, by its path or file name?
bool is_called(dl_phdr_info const& module, char const* wanted) noexcept {
  if (std::strcmp(module.dlpi_name, wanted) == 0) return true;
  char const* const slash = std::strrchr(module.dlpi_name, '/');
  return slash != nullptr && std::strcmp(slash + 1, wanted) == 0;
}

/// Throws std::invalid_argument, in the name of `function`, if there is no such module.
modules::address_range range_of_module(char const* function, char const* module) {
  const std::string where = "memprof::" + std::string(function);
  if (module == nullptr) throw std::invalid_argument(where + ": the name is null");
  modules::address_range found;
  modules::visit_modules([&found, module](dl_phdr_info const& info) noexcept {
    if (!is_called(info, module)) return true;
    found = modules::loaded_image::of(info).extent();
    return false;
  });
  if (found.end == 0) {
    throw std::invalid_argument(where + ": no module '" + std::string(module) + "' is loaded");
  }
  return found;
}

}  // namespace

delivery_through override_at(std::uintptr_t pc) noexcept {
  return overrides.at(pc, delivery_through::by_tables);
}

bool may_refuse_by_module() noexcept { return !malloc_overrides.empty(); }

malloc_policy malloc_policy_of_caller(std::uintptr_t return_address,
                                      malloc_policy otherwise) noexcept {
  return malloc_overrides.at(callstack::detail::without_signature(return_address) - 1, otherwise);
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
  delivery::add(delivery::overrides, "set_delivery_through", {from, to}, how);
}

void set_delivery_through_module(char const* module, delivery_through how) {
  if (auto const* const other = copies::other())
    return other->set_delivery_through_module(module, how);
  constexpr auto* function = "set_delivery_through_module";
  delivery::add(delivery::overrides, function, delivery::range_of_module(function, module), how);
}

void set_malloc_after_hit_in_module(char const* module, malloc_policy policy) {
  if (auto const* const other = copies::other())
    return other->set_malloc_after_hit_in_module(module, policy);
  constexpr auto* function = "set_malloc_after_hit_in_module";
  delivery::add(delivery::malloc_overrides, function, delivery::range_of_module(function, module),
                policy);
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
