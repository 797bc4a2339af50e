// SPDX-License-Identifier: MIT
#include "serve/packed_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>

#include "export/export.hpp"
#include "serve/node_flags.hpp"

namespace memprof::serve {
namespace {

using analysis::flat_index;
using analysis::object_columns;
using analysis::stack_tree;

static_assert(std::endian::native == std::endian::little, "columns are copied as they are");

/// Stacks as a tree of frames: those of one code are nodes of their own, outermost first.
class frame_tree {
 public:
  explicit frame_tree(analysis::trace_index const& index) : codes_(index.codes()) {
    stack_tree const& stacks = index.stacks();
    place_.resize(stacks.size());
    for (stack_tree::node_id s = 1; s < stacks.size(); ++s) {
      std::uint32_t at = place_[stacks[s].parent];
      const analysis::code_table::id code = stacks[s].code;
      for (analysis::frame const& f : codes_.frames(code)) at = below(at, number_of(f));
      if (!codes_.is_known(code)) at = below(at, unknown(codes_.code(code)));
      place_[s] = at;
    }
  }
  [[nodiscard]] std::uint32_t node_of(stack_tree::node_id s) const { return place_[s]; }

  std::vector<std::uint32_t> parents{0}, frames{0};
  json table = json::array();
  analysis::name_table functions, files;

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
                                f.end_char, flags);
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(table.size()));
    if (is_new) {
      table.push_back(json::array(
          {std::get<0>(key), std::get<1>(key), f.line, f.start_char, f.end_char, flags}));
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
  std::vector<std::uint32_t> place_;  // of each node of the stacks
  flat_index index_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                      unsigned>,
           std::uint32_t>
      numbers_;
};

/// Columns, compressed as they come.
class column_writer {
 public:
  template <class T, class Values, class Make>
  void column(Values const& values, Make&& make) {
    std::string bytes;
    for (auto const& v : values) {
      const T x = make(v);
      char raw[sizeof x];
      std::memcpy(raw, &x, sizeof x);
      bytes.append(raw, sizeof x);
      if (bytes.size() >= 1 << 16) {
        gzip_.write(bytes);
        bytes.clear();
      }
    }
    gzip_.write(bytes);
  }
  std::string finish() {
    gzip_.finish();
    return std::move(out_).str();
  }

 private:
  std::ostringstream out_;
  exports::gzip_writer gzip_{out_};
};

json names_of(analysis::name_table const& names) {
  json list = json::array();
  for (analysis::name_table::id i = 0; i < names.size(); ++i) list.push_back(names.text(i));
  return list;
}

}  // namespace

packed_index pack(analysis::trace_index const& index) {
  object_columns const& o = index.objects();
  frame_tree tree(index);
  column_writer out;
  const auto same = [](auto x) { return x; };
  const auto time = [](std::int64_t us) {
    return us == object_columns::never ? -1.0 : static_cast<double>(us);
  };
  out.column<std::uint32_t>(tree.parents, same);
  out.column<std::uint32_t>(tree.frames, same);
  for (auto const* times : {&o.born, &o.gone, &o.promoted}) out.column<double>(*times, time);
  for (auto const* events : {&o.born_event, &o.gone_event, &o.promoted_event}) {
    out.column<std::uint32_t>(*events, same);
  }
  out.column<double>(o.length, [](std::uint64_t n) { return static_cast<double>(n); });
  out.column<std::uint32_t>(o.samples, [](std::uint64_t n) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(n, most));
  });
  out.column<std::uint32_t>(o.stack, [&](stack_tree::node_id s) { return tree.node_of(s); });
  std::vector<std::uint32_t> where(o.size());
  for (std::size_t i = 0; i < o.size(); ++i) {
    where[i] = static_cast<std::uint32_t>(o.source[i]) + 4U * o.domain[i];
  }
  out.column<std::uint32_t>(where, same);

  packed_index packed;
  packed.index = base64(out.finish());
  packed.tables["nodes"] = tree.parents.size();
  packed.tables["objects"] = o.size();
  packed.tables["functions"] = names_of(tree.functions);
  packed.tables["files"] = names_of(tree.files);
  packed.tables["frames"] = std::move(tree.table);
  return packed;
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
