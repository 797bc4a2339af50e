// SPDX-License-Identifier: MIT
#include "base/text_store.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "support/catch2.hpp"

TEST_CASE("text_store: copies stay where they are, small ones and ones larger than a chunk") {
  memprof::base::text_store store;
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

TEST_CASE("text_store: without memory it keeps nothing") {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_AS, &none);
    memprof::base::text_store store;
    _exit(store.keep("x").empty() ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("text_store: a text that just fits does not begin another chunk") {
  memprof::base::text_store store;
  constexpr std::size_t chunk = std::size_t{1} << 16;
  constexpr std::size_t head = 16;
  const std::string first(chunk - head - 10, 'a');
  const std::string_view kept = store.keep(first);
  const std::string_view fits = store.keep("0123456789");
  CHECK(fits.data() == kept.data() + kept.size());
  CHECK(fits == "0123456789");
  const std::string_view next = store.keep("x");
  CHECK(next == "x");
}
