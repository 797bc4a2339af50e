// SPDX-License-Identifier: MIT
#include "page_server/single_file.hpp"

#include <stdexcept>
#include <string>

#include "support/catch2.hpp"
#include "unit/offline/page_server/trace_named.hpp"

using namespace memprof::page_server;

TEST_CASE("the data of an offline page cannot end its element") {
  const std::string first = "<html><script id=\"memprof-data\" type=\"application/gzip\">",
                    second = "</script><script id=\"memprof-sources\" type=\"application/gzip\">",
                    last = "</script></html>";
  CHECK(with_data(first + "old" + second + last, "new", "lines") ==
        first + "new" + second + "lines" + last);
  CHECK_THROWS_AS(with_data(first + last, "new", ""), std::runtime_error);
  CHECK_THROWS_AS(with_data("<html></html>", "new", ""), std::runtime_error);
  const std::string data = single_file_data(*trace_named("viewer_test_repo.ctf")->now());
  CHECK(data.starts_with("H4sI"));  // gzip's magic
  CHECK(data.find_first_not_of(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") == data.npos);
}
