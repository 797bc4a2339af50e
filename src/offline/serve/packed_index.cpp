// SPDX-License-Identifier: MIT
#include "serve/packed_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "export/export.hpp"
#include "serve/node_flags.hpp"

namespace memprof::serve {
namespace {

using analysis::flat_index;
using analysis::object_columns;
using analysis::stack_tree;

static_assert(std::endian::native == std::endian::little, "columns are copied as they are");

constexpr std::string_view magic = "memprof1";
constexpr std::size_t alignment = 8;

/// Stacks as a tree of frames: those of one code are nodes of their own, outermost first.
class frame_tree {
 public:
  explicit frame_tree(analysis::trace_index const& index) : codes_(index.codes()) {
    stack_tree const& stacks = index.stacks();
    std::vector<bool> used(stacks.size());
    for (const stack_tree::node_id s : index.objects().stack) used[s] = true;
    for (std::size_t s = stacks.size(); s-- > 1;) {
      if (used[s]) used[stacks[static_cast<stack_tree::node_id>(s)].parent] = true;
    }
    place_.resize(stacks.size());
    for (stack_tree::node_id s = 1; s < stacks.size(); ++s) {
      if (!used[s]) continue;
      std::uint32_t at = place_[stacks[s].parent];
      const analysis::code_table::id code = stacks[s].code;
      module_ = modules.intern(codes_.module(code));
      for (analysis::frame const& f : codes_.frames(code)) {
        at = below(at, number_of(f));
        if (f.line > 0) sources[codes_.files().text(f.file)].insert(f.line);
      }
      if (!codes_.is_known(code)) at = below(at, unknown(codes_.code(code)));
      place_[s] = at;
    }
  }
  [[nodiscard]] std::uint32_t node_of(stack_tree::node_id s) const { return place_[s]; }

  std::vector<std::uint32_t> parents{0}, frames{0};
  json table = json::array();
  analysis::name_table functions, files, modules;
  source_lines sources;

 private:
  std::uint32_t number_of(analysis::frame const& f) {
    std::string const& name = codes_.functions().text(f.function);
    return intern(name, codes_.files().text(f.file), f, flags_of(name, f.inlined, false));
  }
  std::uint32_t unknown(trace::location_code code) {
    const std::string text = fmt::format("{:#x}", code);
    return intern(text, "", {}, flags_of(text, false, true));
  }
  std::uint32_t intern(std::string_view name, std::string_view file, analysis::frame const& f,
                       unsigned flags) {
    const auto key = std::tuple(functions.intern(name), files.intern(file), f.line, f.start_char,
                                f.end_char, flags, module_);
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(table.size()));
    if (is_new) {
      table.push_back(json::array(
          {std::get<0>(key), std::get<1>(key), f.line, f.start_char, f.end_char, flags, module_}));
    }
    return at->second;
  }
  std::uint32_t below(std::uint32_t parent, std::uint32_t frame) {
    std::uint32_t& place = index_.find(parent, frame);
    if (place == flat_index::none) {
      place = static_cast<std::uint32_t>(parents.size());
      parents.push_back(parent);
      frames.push_back(frame);
    }
    return place;
  }

  analysis::code_table const& codes_;
  std::vector<std::uint32_t> place_;     // of each node of the stacks
  analysis::name_table::id module_ = 0;  // of the code whose frames are being added
  flat_index index_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                      unsigned, std::uint32_t>,
           std::uint32_t>
      numbers_;
};

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

std::string pack(analysis::trace_index const& index, json trace, source_lines* sources) {
  const frame_tree tree(index);
  if (sources != nullptr) *sources = tree.sources;
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
