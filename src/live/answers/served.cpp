// SPDX-License-Identifier: MIT
#include "answers/served.hpp"

#include <memory>
#include <string>
#include <utility>

namespace memprof::answers {

std::function<http::response(http::request const&)> served(
    std::function<memprof::v0::serve::response(memprof::v0::serve::request const&)> answer) {
  return [answer = std::move(answer)](http::request const& r) {
    auto from =
        answer({.method = r.method, .target = r.target, .accept = r.accept, .body = r.body});
    return http::response{.status = from.status,
                          .content_type = std::move(from.content_type),
                          .body = std::make_shared<std::string const>(std::move(from.body)),
                          .headers = std::move(from.headers)};
  };
}

}  // namespace memprof::answers
