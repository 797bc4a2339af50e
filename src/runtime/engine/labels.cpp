// SPDX-License-Identifier: MIT
#include "engine/labels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

namespace memprof::engine {

constinit thread_local label_set current_labels = 0;

namespace {

/// Written by the thread that took it, before its number is in a bucket; constant from then on.
struct label_node {
  label_set outer;
  std::uint8_t key_length;
  std::uint8_t value_length;
  char text[longest_label_key + longest_label_value];

  [[nodiscard]] std::string_view key() const noexcept { return {text, key_length}; }
  [[nodiscard]] std::string_view value() const noexcept {
    return {text + key_length, value_length};
  }
};

constexpr std::size_t label_buckets = 4096;
constinit std::array<label_node, most_label_sets + 1> label_nodes{};
constinit std::atomic<std::uint32_t> next_label_node{1};
/// Numbers of nodes, by open addressing; 0: free. Publishes the node.
constinit std::array<std::atomic<label_set>, label_buckets> label_table{};
constinit std::atomic<std::uint64_t> labels_without_room{0};

/// FNV-1a.
std::size_t hash_of_label(label_set outer, std::string_view key, std::string_view value) noexcept {
  std::uint64_t h = 0xcbf29ce484222325u ^ outer;
  const auto add = [&](std::string_view text) {
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    h = (h ^ 0xff) * 0x100000001b3u;
  };
  add(key);
  add(value);
  return h ^ h >> 32;
}

/// 0: there is none left.
label_set take_label_node() noexcept {
  std::uint32_t next = next_label_node.load(std::memory_order_relaxed);
  do {
    if (next > most_label_sets) return 0;
  } while (!next_label_node.compare_exchange_weak(next, next + 1, std::memory_order_relaxed));
  return next;
}

}  // namespace

label_set add_label(label_set outer, std::string_view key, std::string_view value) noexcept {
  key = key.substr(0, longest_label_key);
  value = value.substr(0, longest_label_value);
  label_set fresh = 0;
  for (std::size_t at = hash_of_label(outer, key, value);; ++at) {
    std::atomic<label_set>& bucket = label_table[at % label_buckets];
    label_set found = bucket.load(std::memory_order_acquire);
    if (found == 0) {
      if (fresh == 0) fresh = take_label_node();
      if (fresh == 0) {
        count_label_left_out();
        return outer;
      }
      label_node& n = label_nodes[fresh];
      n.outer = outer;
      n.key_length = static_cast<std::uint8_t>(key.size());
      n.value_length = static_cast<std::uint8_t>(value.size());
      std::ranges::copy(value, std::ranges::copy(key, n.text).out);
      if (bucket.compare_exchange_strong(found, fresh, std::memory_order_acq_rel)) return fresh;
    }
    // Perhaps one that another thread has just added: then a node of ours is lost.
    label_node const& n = label_nodes[found];
    if (n.outer == outer && n.key() == key && n.value() == value) return found;
  }
}

label_view label_of(label_set set) noexcept {
  label_node const& n = label_nodes[set];
  return {.key = n.key(), .value = n.value(), .outer = n.outer};
}

bool is_within(label_set set, label_set outer) noexcept {
  while (set > outer) set = label_of(set).outer;  // which was made before it
  return set == outer;
}

void count_label_left_out() noexcept {
  labels_without_room.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t labels_left_out() noexcept {
  return labels_without_room.load(std::memory_order_relaxed);
}

}  // namespace memprof::engine
