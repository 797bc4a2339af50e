// SPDX-License-Identifier: MIT
#include "tracer/thread_book.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <tuple>

#include "base/base.hpp"

namespace memprof::tracer {

thread_book::entry* thread_book::at(std::uint32_t number) noexcept {
  if (number > trace::most_threads) return nullptr;
  if (entries_ == nullptr) {
    entries_ = static_cast<entry*>(base::map_pages((trace::most_threads + 1U) * sizeof(entry)));
  }
  return entries_ == nullptr ? nullptr : entries_ + number;
}

bool thread_book::is_known(std::uint32_t number) const noexcept {
  return entries_ != nullptr && number <= trace::most_threads && entries_[number].trace == trace_;
}

void thread_book::name(named_thread const& t) noexcept {
  entry* const e = at(t.number);
  if (e == nullptr) return;
  const bool again = e->trace == trace_;
  if (again && e->naming + 1 >= encoding::most_namings) return;
  std::array<char, std::tuple_size_v<kernel_name> + 12> text;
  char* end = std::copy(t.name.begin(), std::ranges::find(t.name, '\0'), text.begin());
  *end++ = ' ';
  end = std::to_chars(end, text.data() + text.size(), t.id).ptr;
  *e = {.text = texts_.keep({text.data(), static_cast<std::size_t>(end - text.data())}),
        .trace = trace_,
        .naming = again ? e->naming + 1 : 0};
}

trace::location_code thread_book::code_of(std::uint32_t number) noexcept {
  entry* const e = at(number);
  if (e == nullptr) return 0;
  if (e->trace != trace_) name({.number = number});
  return encoding::thread_code(number, e->naming);
}

std::span<trace::location const> thread_book::locate(trace::location_code code) noexcept {
  entry const* const e = at(encoding::thread_number(code));
  if (e == nullptr) return {};
  found_ = {.filename = encoding::thread_file, .defname = e->text};
  return {&found_, 1};
}

}  // namespace memprof::tracer
