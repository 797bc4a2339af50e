// SPDX-License-Identifier: MIT
//
// How stacks are taken: by the environment's settings, until the program changes them.
#include <atomic>
#include <stdexcept>

#include "memprof/callstack.hpp"

#include "base/base.hpp"
#include "callstack/capture.hpp"
#include "copies/copies.hpp"

namespace memprof {
namespace {

constexpr int unset = -1;
constinit std::atomic<int> method{unset};
constinit std::atomic<int> depth{unset};

constexpr std::uint64_t usual_depth = 512;

int method_of_environment(base::setting_error& error) noexcept {
  // In the order of callstack_method.
  static constexpr char const* names[] = {"auto", "fp", "tables"};
  std::size_t chosen = 0;
  base::read_setting("MEMPROF_CALLSTACK", names, chosen, error);
  return static_cast<int>(chosen);
}

int depth_of_environment(base::setting_error& error) noexcept {
  std::uint64_t frames = usual_depth;
  base::read_setting("MEMPROF_CALLSTACK_DEPTH", 0, callstack::largest_stack, frames, error);
  return static_cast<int>(frames);
}

/// The setting; reads the environment the first time. A value set in between takes precedence.
int value_of(std::atomic<int>& setting, int (*ask)(base::setting_error&) noexcept) noexcept {
  int value = setting.load(std::memory_order_relaxed);
  if (value != unset) [[likely]]
    return value;
  base::setting_error error;
  const int asked = ask(error);
  return setting.compare_exchange_strong(value, asked, std::memory_order_relaxed) ? asked : value;
}

}  // namespace

void callstack::read_settings(base::setting_error& error) noexcept {
  method_of_environment(error);
  depth_of_environment(error);
}

}  // namespace memprof

namespace memprof::inline v0 {

void set_callstack_method(callstack_method wanted) noexcept {
  if (auto const* const other = copies::other()) return other->set_callstack_method(wanted);
  method.store(static_cast<int>(wanted), std::memory_order_relaxed);
}

callstack_method get_callstack_method() noexcept {
  if (auto const* const other = copies::other()) return other->get_callstack_method();
  return static_cast<callstack_method>(value_of(method, method_of_environment));
}

std::size_t callstack_depth() noexcept {
  if (auto const* const other = copies::other()) return other->callstack_depth();
  return static_cast<std::size_t>(value_of(depth, depth_of_environment));
}

void set_callstack_depth(std::size_t frames) {
  if (auto const* const other = copies::other()) return other->set_callstack_depth(frames);
  if (frames > callstack::largest_stack) {
    throw std::invalid_argument("memprof::set_callstack_depth: more than 4096 frames");
  }
  depth.store(static_cast<int>(frames), std::memory_order_relaxed);
}

}  // namespace memprof::inline v0
