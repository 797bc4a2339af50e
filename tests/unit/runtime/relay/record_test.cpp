// SPDX-License-Identifier: MIT
#include "relay/record.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch2.hpp"

using namespace memprof::relay;

namespace {

std::vector<std::uint64_t> joined(std::span<std::uint64_t const> first,
                                  std::span<std::uint64_t const> rest) {
  std::vector<std::uint64_t> all(first.begin(), first.end());
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

TEST_CASE("a record comes back") {
  const std::array<std::uint64_t, 2> frames{0x401000, 0x402000};
  const auto first =
      record({.kind = record_kind::allocation, .detail = 2, .of = 0xfedcba98, .time = 77},
             std::array<std::uint64_t, allocation_words>{5, 6, 7}, frames.size());
  CHECK(ring::size_of(first[0]) == 7);
  popped_record r;
  const auto words = joined(first, frames);
  REQUIRE(popped_record::read(words, r));
  CHECK(r.head.kind == record_kind::allocation);
  CHECK(r.head.detail == 2);
  CHECK(r.head.of == 0xfedcba98);
  CHECK(r.head.time == 77);
  CHECK(std::vector(r.body.begin(), r.body.end()) ==
        std::vector<std::uint64_t>{5, 6, 7, 0x401000, 0x402000});
}

TEST_CASE("texts, and texts that lie about their length") {
  for (std::string const& text :
       {std::string(), std::string("/lib/libc.so"), std::string(5000, 'x')}) {
    const text_words packed(text);
    const auto first = record({.kind = record_kind::begin, .of = packed.bytes()},
                              std::array<std::uint64_t, begin_words>{1, 2}, packed.words().size());
    const auto words = joined(first, packed.words());
    popped_record r;
    REQUIRE(popped_record::read(words, r));
    CHECK(r.text(begin_words) == text.substr(0, text_words::longest));
    r.head.of += 8;
    CHECK(r.text(begin_words).empty());
  }
}

TEST_CASE("a record that is too short for its kind is none") {
  for (auto const& [kind, least] :
       {std::pair(record_kind::begin, begin_words), std::pair(record_kind::module, module_words),
        std::pair(record_kind::allocation, allocation_words),
        std::pair(record_kind::promotion, std::size_t{0}),
        std::pair(record_kind::interrupt, interrupt_words),
        std::pair(record_kind::thread, thread_words)}) {
    const auto first = record<0>({.kind = kind}, {}, 0);
    popped_record r;
    std::vector<std::uint64_t> words(first.begin(), first.end());
    words.resize(head_words + least);
    CHECK(popped_record::read(words, r));
    words.pop_back();
    CHECK_FALSE(popped_record::read(words, r));
  }
}
