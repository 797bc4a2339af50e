// SPDX-License-Identifier: MIT
#include "answers/text_response.hpp"

#include <utility>

namespace memprof::answers {

serve::response plain_response(std::string body) {
  return {.status = 200,
          .content_type = "text/plain; charset=utf-8",
          .body = std::move(body),
          .headers = {{"X-Content-Type-Options", "nosniff"}}};
}

serve::response text_response(int status, std::string text) {
  text += '\n';
  serve::response r = plain_response(std::move(text));
  r.status = status;
  return r;
}

serve::response busy_response(std::string why) {
  serve::response r = text_response(503, std::move(why));
  r.headers.emplace_back("Retry-After", "1");
  return r;
}

}  // namespace memprof::answers
