// SPDX-License-Identifier: MIT
#include "records/thread_book.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <tuple>

namespace memprof::records {

bool thread_book::is_known(std::uint32_t number) const noexcept {
  return number < entries_.size() && !entries_[number].text.empty();
}

void thread_book::name(named_thread const& t) noexcept {
  if (t.number > trace::most_threads || !entries_.grow_to(t.number + std::size_t{1})) return;
  entry& e = entries_[t.number];
  std::array<char, std::tuple_size_v<kernel_name> + 12> text;
  char* end = std::copy(t.name.begin(), std::ranges::find(t.name, '\0'), text.begin());
  *end++ = ' ';
  end = std::to_chars(end, text.data() + text.size(), t.id).ptr;
  const std::string_view whole(text.data(), static_cast<std::size_t>(end - text.data()));
  const bool again = !e.text.empty();
  if (again && (e.text == whole || e.naming + 1 >= encoding::most_namings)) return;
  e = {.text = texts_.keep(whole), .naming = again ? e.naming + 1 : 0};
}

trace::location_code thread_book::code_of(std::uint32_t number) noexcept {
  if (!is_known(number)) name({.number = number});
  return is_known(number) ? encoding::thread_code(number, entries_[number].naming) : 0;
}

std::span<trace::location const> thread_book::locate(trace::location_code code) noexcept {
  const std::uint32_t number = encoding::thread_number(code);
  if (!is_known(number)) return {};
  found_ = {.filename = encoding::thread_file, .defname = entries_[number].text};
  return {&found_, 1};
}

}  // namespace memprof::records
