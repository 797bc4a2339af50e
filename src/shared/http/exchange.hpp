// SPDX-License-Identifier: MIT
/// \file
/// What the small server is asked, and what it answers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memprof::http {

/// As it came. The views are valid until the answer is given.
struct request {
  std::string_view method, target, accept, accept_encoding, body;
};

using header_list = std::vector<std::pair<std::string, std::string>>;

///  - `body`: shared, since a large one may go to several clients at once. Null: empty.
struct response {
  int status = 200;
  std::string content_type;
  std::shared_ptr<std::string const> body;
  header_list headers;

  void set_body(std::string text) { body = std::make_shared<std::string const>(std::move(text)); }
};

/// In words, with a line's end.
[[nodiscard]] response text_refusal(int status, std::string_view why);

}  // namespace memprof::http
