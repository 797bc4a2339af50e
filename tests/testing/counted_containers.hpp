// SPDX-License-Identifier: MIT
/// \file
/// Standard containers whose memory is counted over memprof::core, too.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <scoped_allocator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memprof/sources.hpp"

namespace memprof::test {

template <class T>
using vector_of = std::vector<T, allocator<T>>;
template <class T>
using deque_of = std::deque<T, allocator<T>>;
template <class T>
using list_of = std::list<T, allocator<T>>;
template <class Key, class T>
using map_of = std::map<Key, T, std::less<Key>, allocator<std::pair<Key const, T>>>;
using counted_string = std::basic_string<char, std::char_traits<char>, allocator<char>>;

struct hash_of_string {
  std::size_t operator()(counted_string const& text) const noexcept {
    return std::hash<std::string_view>()(std::string_view(text));
  }
};
template <class T>
using hash_map_of = std::unordered_map<counted_string, T, hash_of_string, std::equal_to<>,
                                       allocator<std::pair<counted_string const, T>>>;

/// Long enough to need memory.
inline counted_string long_text(int n) {
  counted_string text = "a text that does not fit into the string itself, number ";
  for (int i = 0; i < n; ++i) text += static_cast<char>('a' + i % 26);
  return text;
}

}  // namespace memprof::test
