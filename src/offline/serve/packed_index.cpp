// SPDX-License-Identifier: MIT
#include "serve/packed_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "export/export.hpp"

namespace memprof::serve {
namespace {

using analysis::object_columns;

static_assert(std::endian::native == std::endian::little, "columns are copied as they are");

constexpr std::string_view magic = "memprof1";
constexpr std::size_t alignment = 8;

/// Columns, each of the narrowest type that holds its values. First said, then written: what they
/// are stands before them.
class column_list {
 public:
  /// value       of 0 to size - 1. Kept until the columns are written.
  template <class Value>
  void add(char const* name, std::size_t size, Value value) {
    double least = 0, most = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto x = static_cast<double>(value(i));
      least = std::min(least, x);
      most = std::max(most, x);
    }
    if (least < 0 || most > std::numeric_limits<std::uint32_t>::max()) {
      put<double>(name, "f64", size, value);
    } else if (most > std::numeric_limits<std::uint16_t>::max()) {
      put<std::uint32_t>(name, "u32", size, value);
    } else if (most > std::numeric_limits<std::uint8_t>::max()) {
      put<std::uint16_t>(name, "u16", size, value);
    } else {
      put<std::uint8_t>(name, "u8", size, value);
    }
  }
  [[nodiscard]] json const& list() const { return list_; }
  /// All of them behind `head`, each aligned.
  [[nodiscard]] std::string behind(std::string const& head) const {
    std::string bytes;
    bytes.reserve(head.size() + bytes_);
    bytes = head;
    for (auto const& write : writers_) write(bytes);
    return bytes;
  }

 private:
  template <class T, class Value>
  void put(char const* name, char const* type, std::size_t size, Value value) {
    list_.push_back(json::array({name, type, size}));
    bytes_ += size * sizeof(T) + alignment;
    writers_.push_back([size, value](std::string& out) {
      const std::size_t begin = out.size();
      out.resize(begin + (size * sizeof(T) + alignment - 1) / alignment * alignment);
      for (std::size_t i = 0; i < size; ++i) {
        const auto x = static_cast<T>(value(i));
        std::memcpy(out.data() + begin + i * sizeof x, &x, sizeof x);
      }
    });
  }

  json list_ = json::array();
  std::size_t bytes_ = 0;
  std::vector<std::function<void(std::string&)>> writers_;
};

/// Rounded down to what a double holds, so that no block seems larger than it is.
double as_double(std::uint64_t n) {
  const auto width = static_cast<int>(std::bit_width(n));
  const int more = std::max(0, width - std::numeric_limits<double>::digits);
  return static_cast<double>(n >> more << more);
}

json names_of(analysis::name_table const& names) {
  json list = json::array();
  for (analysis::name_table::id i = 0; i < names.size(); ++i) list.push_back(names.text(i));
  return list;
}

void pad(std::string& bytes, char with) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment, with);
}

}  // namespace

std::string pack(analysis::trace_index const& index, frame_tree const& tree, json trace) {
  object_columns const& o = index.objects();
  auto const& changes = index.changes();
  column_list columns;
  columns.add("parent", tree.parents.size(), [&](std::size_t i) { return tree.parents[i]; });
  columns.add("frame", tree.frames.size(), [&](std::size_t i) { return tree.frames[i]; });
  columns.add("length", o.size(), [&](std::size_t i) { return as_double(o.length[i]); });
  columns.add("samples", o.size(), [&](std::size_t i) { return o.samples[i]; });
  columns.add("first", o.size(), [&](std::size_t i) { return o.first[i]; });
  columns.add("second", o.size(), [&](std::size_t i) { return o.second[i]; });
  columns.add("stack", o.size(), [&](std::size_t i) { return tree.node_of(o.stack[i]); });
  columns.add("where", o.size(), [&](std::size_t i) {
    return static_cast<std::uint32_t>(o.source[i]) + 4U * o.domain[i];
  });
  columns.add("change", changes.size(), [&](std::size_t i) {
    return std::uint32_t{changes[i].object} * 4U + changes[i].kind;
  });
  columns.add("time", changes.size(), [&](std::size_t i) { return index.times()[i]; });

  json head;
  head["trace"] = std::move(trace);
  head["functions"] = names_of(tree.functions);
  head["files"] = names_of(tree.files);
  head["modules"] = names_of(tree.modules);
  head["frames"] = tree.table;
  head["columns"] = columns.list();
  std::string text = exports::json_text(head);
  pad(text, ' ');
  std::string bytes(magic);
  const std::uint64_t length = text.size();
  bytes.append(reinterpret_cast<char const*>(&length), sizeof length);
  return columns.behind(bytes + text);
}

std::string base64(std::string_view bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= n ? digits[three >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

}  // namespace memprof::serve
