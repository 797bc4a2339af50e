// SPDX-License-Identifier: MIT
#include "tracer/text_store.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch2.hpp"

TEST_CASE("text_store: copies stay where they are, small ones and ones larger than a chunk") {
  memprof::tracer::text_store store;
  std::vector<std::string> texts;
  std::vector<std::string_view> kept;
  for (std::size_t i = 0; i < 2'000; ++i) {
    texts.push_back(std::string(i % 100, static_cast<char>('a' + i % 26)));
  }
  texts.push_back(std::string(100'000, 'x'));
  texts.push_back("last");
  for (std::string& text : texts) {
    kept.push_back(store.keep(text));
    CHECK((text.empty() || kept.back().data() != text.data()));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) REQUIRE(kept[i] == texts[i]);
}
