// SPDX-License-Identifier: MIT
#include "page_columns/column_list.hpp"

#include <bit>

namespace memprof::page_columns {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are copied as they are");

constexpr std::string_view magic = "memprof1";

}  // namespace

std::string column_list::list_as_json() const {
  std::string text = "[";
  for (column const& c : list_) {
    if (text.size() > 1) text += ',';
    text += std::string("[\"") + c.name + "\",\"" + c.type + "\"," + std::to_string(c.size) + ']';
  }
  return text + ']';
}

std::string column_list::behind(std::string_view head) const {
  const std::uint64_t length = (head.size() + alignment - 1) / alignment * alignment;
  std::string bytes;
  bytes.reserve(magic.size() + sizeof length + length + bytes_);
  bytes = magic;
  bytes.append(reinterpret_cast<char const*>(&length), sizeof length);
  bytes += head;
  bytes.resize(magic.size() + sizeof length + length, ' ');
  for (auto const& write : writers_) write(bytes);
  return bytes;
}

double as_double(std::uint64_t n) noexcept {
  const auto width = static_cast<int>(std::bit_width(n));
  const int more = std::max(0, width - std::numeric_limits<double>::digits);
  return static_cast<double>(n >> more << more);
}

}  // namespace memprof::page_columns
