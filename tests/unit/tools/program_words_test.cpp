// SPDX-License-Identifier: MIT
#include "tools/program_words.hpp"

#include <CLI/CLI.hpp>

#include "support/catch2.hpp"

using memprof::tools::with_separator;
using list = std::vector<std::string>;

namespace {

struct record_command {
  CLI::App app;
  std::string file, rate;
  bool quiet = false;
  list program;
  record_command() {
    app.add_option("-o,--output", file);
    app.add_option("--rate", rate);
    app.add_flag("-q,--quiet", quiet);
    app.add_option("PROGRAM", program)->expected(-1);
  }
  list separated(list words) const { return with_separator(app, std::move(words)); }
};

}  // namespace

TEST_CASE("program words: the options behind the program are its own") {
  const record_command c;
  CHECK(c.separated({"record", "ls"}) == list{"record", "--", "ls"});
  CHECK(c.separated({"record", "redis", "--rate", "7"}) ==
        list{"record", "--", "redis", "--rate", "7"});
  CHECK(c.separated({"record", "-o", "a", "--rate=1", "-q", "ls", "-q"}) ==
        list{"record", "-o", "a", "--rate=1", "-q", "--", "ls", "-q"});
  CHECK(c.separated({"record", "-oa", "--rate", "1", "-", "-q"}) ==
        list{"record", "-oa", "--rate", "1", "--", "-", "-q"});
}

TEST_CASE("program words: what has a separator, or an error, stays") {
  const record_command c;
  for (list const& words :
       {list{"record"}, list{"record", "-q"}, list{"record", "-q", "--", "a", "-q"},
        list{"record", "--", "a", "--", "b"}, list{"record", "--unknown", "ls"},
        list{"record", "-o"}}) {
    CHECK(c.separated(words) == words);
  }
  CLI::App top;
  list files;
  top.add_option("FILE", files);
  CHECK(with_separator(top, {"top", "a.ctf", "-n", "3"}) == list{"top", "a.ctf", "-n", "3"});
}
