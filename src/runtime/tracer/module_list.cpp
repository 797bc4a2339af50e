// SPDX-License-Identifier: MIT
#include "tracer/module_list.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unistd.h>

#include "base/base.hpp"

namespace memprof::tracer {
namespace {

/// Held around calls of the loader. One for the process: forks concern any list.
constinit std::atomic<bool> asking_loader{false};
constinit std::atomic<int> waiting_forks{0};

constexpr std::int32_t loader_wait_us = 100;

/// The program itself has no name in the loader's list.
std::string_view path_of(dl_phdr_info const& info, char (&program)[4096]) noexcept {
  if (info.dlpi_name != nullptr && info.dlpi_name[0] != '\0') return info.dlpi_name;
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  return length > 0 ? std::string_view(program, static_cast<std::size_t>(length))
                    : std::string_view("program");
}

bool overlap(modules::address_range const& a, modules::address_range const& b) noexcept {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

void module_list::refresh() noexcept {
  if (modules_ == nullptr) {
    modules_ = static_cast<module*>(base::map_pages(most_modules * sizeof(module)));
    if (modules_ == nullptr) return;
  }
  // seq_cst: either the fork sees that we ask, or we see that it waits; then it goes first.
  asking_loader.store(true, std::memory_order_seq_cst);
  while (waiting_forks.load(std::memory_order_seq_cst) != 0) {
    asking_loader.store(false, std::memory_order_release);
    base::sleep_uncancellable(loader_wait_us);
    asking_loader.store(true, std::memory_order_seq_cst);
  }
  bool changed = false;
  modules::visit_modules([this, &changed](dl_phdr_info const& info) noexcept {
    if (!changed) {
      if (loads_ == info.dlpi_adds && unloads_ == info.dlpi_subs) return false;
      loads_ = info.dlpi_adds;
      unloads_ = info.dlpi_subs;
      changed = true;
      for (module& m : modules()) m.loaded = false;
    }
    add(info);
    return true;
  });
  asking_loader.store(false, std::memory_order_release);
}

void module_list::add(dl_phdr_info const& info) noexcept {
  const auto image = modules::loaded_image::of(info);
  module fresh;
  fresh.bias = image.bias;
  fresh.range = image.extent();
  if (fresh.range.end == 0) return;
  modules::write_short_build_id(image.build_id(), fresh.build_id);
  char program[4096];
  const std::string_view path = path_of(info, program);
  fresh.loaded = true;
  for (module& m : modules()) {
    if (!overlap(m.range, fresh.range)) continue;
    if (m.range == fresh.range && m.bias == fresh.bias && m.path == path &&
        std::strcmp(m.build_id, fresh.build_id) == 0) {
      m.loaded = true;  // the same again
      return;
    }
    fresh.generation = std::max(fresh.generation, m.generation + 1);
  }
  if (fresh.generation == 0 && lowest_unknown_ < fresh.range.end &&
      fresh.range.begin <= highest_unknown_) {
    fresh.generation = 1;
  }
  if (count_ == most_modules || fresh.generation >> (63 - address_bits) != 0) return;
  fresh.path = texts_.keep(path);
  if (fresh.generation > 0) any_place_taken_twice_ = true;
  modules_[count_++] = fresh;
}

trace::location_code module_list::code_among_generations(std::uintptr_t address) const noexcept {
  for (module const& m : modules()) {
    if (m.loaded && m.range.contains(address - 1)) {
      return m.generation << address_bits | address;
    }
  }
  return address;
}

module_list::module const* module_list::module_of(trace::location_code code) const noexcept {
  const std::uintptr_t address = address_of(code);
  const std::uint64_t generation = code >> address_bits;
  for (module const& m : modules()) {
    if (m.generation == generation && m.range.contains(address - 1)) return &m;
  }
  return nullptr;
}

void module_list::keep_unknown(trace::location_code code) noexcept {
  lowest_unknown_ = std::min(lowest_unknown_, address_of(code));
  highest_unknown_ = std::max(highest_unknown_, address_of(code));
}

void before_fork() noexcept {
  waiting_forks.fetch_add(1, std::memory_order_seq_cst);
  for (int i = 0; i < 1000 && asking_loader.load(std::memory_order_seq_cst); ++i)
    base::sleep_uncancellable(loader_wait_us);
}

void after_fork() noexcept { waiting_forks.fetch_sub(1, std::memory_order_release); }

void after_fork_in_child() noexcept {
  waiting_forks.store(0, std::memory_order_relaxed);
  asking_loader.store(false, std::memory_order_relaxed);
}

}  // namespace memprof::tracer
