// SPDX-License-Identifier: MIT
#include "http/exchange.hpp"

namespace memprof::http {

response text_refusal(int status, std::string_view why) {
  response r{.status = status,
             .content_type = "text/plain; charset=utf-8",
             .body = {},
             .headers = {{"X-Content-Type-Options", "nosniff"}}};
  r.set_body(std::string(why) + '\n');
  return r;
}

}  // namespace memprof::http
