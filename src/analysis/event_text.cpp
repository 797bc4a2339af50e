// SPDX-License-Identifier: MIT
#include "analysis/event_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace memprof::analysis {
namespace {

/// The beginning of a line is put together here: long enough for all its numbers.
class line_head {
 public:
  line_head& text(std::string_view s) {
    std::memcpy(at_, s.data(), s.size());
    at_ += s.size();
    return *this;
  }
  template <class Integer>
  line_head& number(Integer n) {
    at_ = std::to_chars(at_, buffer_.data() + buffer_.size(), n).ptr;
    return *this;
  }
  /// At least so many digits.
  line_head& zero_padded(std::uint64_t n) { return padded(n, 10, '0'); }
  line_head& blank_padded(std::uint64_t n) { return padded(n, 4, ' '); }

  [[nodiscard]] std::string_view view() const {
    return {buffer_.data(), static_cast<std::size_t>(at_ - buffer_.data())};
  }

 private:
  line_head& padded(std::uint64_t n, std::ptrdiff_t width, char fill) {
    std::array<char, 20> digits{};
    char* begin = digits.data() + digits.size();
    do {
      *--begin = static_cast<char>('0' + n % 10);
      n /= 10;
    } while (n != 0);
    const std::ptrdiff_t length = digits.data() + digits.size() - begin;
    for (std::ptrdiff_t i = length; i < width; ++i) *at_++ = fill;
    return text({begin, static_cast<std::size_t>(length)});
  }

  std::array<char, 192> buffer_;
  char* at_ = buffer_.data();
};

constexpr std::string_view kind_text(trace::heap h) {
  switch (h) {
    case trace::heap::minor:
      return " alloc ";
    case trace::heap::major:
      return " alloc_major ";
    case trace::heap::external:
      break;
  }
  return " alloc_ext ";
}

}  // namespace

std::string_view event_text::line(trace::event const& e) {
  line_head head;
  head.zero_padded(static_cast<std::uint64_t>(std::max<std::int64_t>(e.time.count(), 0))).text(" ");
  head.zero_padded(e.object);
  if (e.kind != trace::event_kind::allocation) {
    head.text(e.kind == trace::event_kind::promotion ? " promote\n" : " collect\n");
    short_line_ = head.view();
    return short_line_;
  }
  head.text(kind_text(e.source)).number(e.n_samples).text(" len=").number(e.length);
  head.text(" dom=").number(e.domain).text(" ");
  // "% 4d": a blank in the place of the sign.
  if (e.common_prefix > 999) head.text(" ");
  head.blank_padded(e.common_prefix).text(":");

  last_line& last = lines_[e.domain];
  const std::size_t known = std::min(
      {static_cast<std::size_t>(e.common_prefix), last.ends.size() - 1, e.backtrace.size()});
  const std::size_t kept = last.ends[known];
  const std::string_view begin = head.view();
  if (begin.size() == last.head) {
    std::memcpy(last.text.data(), begin.data(), begin.size());
  } else {
    last.text.replace(0, last.head, begin);
    last.head = begin.size();
  }
  last.text.resize(last.head + kept);
  last.ends.resize(known + 1);
  for (std::size_t i = known; i < e.backtrace.size(); ++i) {
    last.text.append(code_text(e.backtrace[i]));
    last.ends.push_back(last.text.size() - last.head);
  }
  last.text.push_back('\n');
  return last.text;
}

std::string_view event_text::code_text(trace::location_code code) {
  std::uint32_t& place = index_.find(code);
  return place != flat_index::none ? std::string_view(texts_[place]) : add_code(code, place);
}

std::string_view event_text::add_code(trace::location_code code, std::uint32_t& place) {
  auto locations = reader_.locations(code);
  if (names_) locations = names_->resolve(locations);
  std::string text;
  for (trace::location const& l : locations) {
    line_head position;
    position.text(":").number(l.line).text(":").number(l.start_char).text("-").number(l.end_char);
    text.append(" ").append(l.defname).append("@").append(l.filename).append(position.view());
  }
  if (locations.empty()) text = " $" + std::to_string(code);
  texts_.push_back(std::move(text));
  place = static_cast<std::uint32_t>(texts_.size() - 1);
  return texts_.back();
}

}  // namespace memprof::analysis
