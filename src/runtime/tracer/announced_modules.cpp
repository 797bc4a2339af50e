// SPDX-License-Identifier: MIT
#include "tracer/announced_modules.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "tracer/file_name.hpp"
#include "tracer/program_path.hpp"

namespace memprof::tracer {
namespace {

/// The program itself has no name in the loader's list.
std::string_view path_of(char const* name) noexcept {
  return name != nullptr && name[0] != '\0' ? std::string_view(name) : program_path();
}

bool push_module(modules::address_range range, std::uintptr_t bias, char const (&build_id)[17],
                 std::string_view path, relay_target const& to,
                 announced_modules::sender send) noexcept {
  std::array<std::uint64_t, relay::module_words> body{range.begin, range.end, bias, 0, 0};
  std::memcpy(&body[3], build_id, 16);
  const relay::text_words text(path);
  const auto first = relay::record(
      {.kind = relay::record_kind::module, .of = text.bytes(), .time = microseconds_now()}, body,
      text.words().size());
  return send(to, first, text.words());
}

std::uint64_t mixed(std::uint64_t with, std::uint64_t next) noexcept {
  with = (with ^ next) * 0xff51afd7ed558ccdu;
  return with ^ with >> 32;
}

}  // namespace

void announced_modules::begin(relay_target const& to, sender send) noexcept {
  modules::module_list const* const list = modules::permanent_modules();
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->count; ++i) {
    modules::listed_module const& m = list->modules[i];
    char build_id[17] = {};
    modules::write_short_build_id(m.image.build_id(), build_id);
    // A fresh ring has room for all of them.
    push_module(m.image.extent(), m.image.bias, build_id, path_of(m.name), to, send);
  }
}

bool announced_modules::look_at(std::span<std::uintptr_t const> frames, relay_target const& to,
                                sender send, bool& lasting) noexcept {
  modules::address_range seen;
  for (const std::uintptr_t frame : frames) {
    const std::uintptr_t call = frame - 1;
    if (seen.contains(call)) continue;
    if (modules::listed_module const* const m = modules::permanent_module_at(call)) {
      seen = m->range;
      continue;
    }
    modules::found_module found;
    if (!modules::find_module(call, found)) continue;  // generated code, say
    seen = found.range;
    lasting = false;
    if (!announce_unloadable(found, to, send)) return false;
  }
  return true;
}

bool announced_modules::announce_unloadable(modules::found_module const& found,
                                            relay_target const& to, sender send) noexcept {
  // Where linkers put it, in the first page: that is mapped, whatever module it is.
  const auto image = found.image();
  const auto id = image.build_id(found.range.begin + modules::page_size);
  place wanted{.begin = found.range.begin, .end = found.range.end};
  wanted.identity = mixed(reinterpret_cast<std::uintptr_t>(found.eh_frame_header), found.bias);
  for (const unsigned char byte : id) wanted.identity = mixed(wanted.identity, byte);
  if (id.empty()) {
    for (char const* c = found.name; c != nullptr && *c != '\0'; ++c) {
      wanted.identity = mixed(wanted.identity, static_cast<unsigned char>(*c));
    }
  }
  const auto is_same = [&](place const& p) {
    return p.begin == wanted.begin && p.end == wanted.end && p.identity == wanted.identity;
  };
  const auto overlaps = [&](place const& p) {
    return p.begin < wanted.end && wanted.begin < p.end;
  };
  const bool locked = !taken_.exchange(true, std::memory_order_acquire);
  bool known = locked && std::ranges::any_of(places_, is_same);
  if (!known) {
    char build_id[17] = {};
    modules::write_short_build_id(id, build_id);
    known = push_module(found.range, found.bias, build_id, path_of(found.name), to, send);
    if (known && locked) {
      places_.remove_if(overlaps);
      static_cast<void>(places_.push(wanted));  // without room it is announced again
    }
  }
  if (locked) taken_.store(false, std::memory_order_release);
  return known;
}

void announced_modules::forget() noexcept {
  for (auto& hash : known_) hash.store(0, std::memory_order_relaxed);
  places_.clear();
  taken_.store(false, std::memory_order_relaxed);
}

}  // namespace memprof::tracer
