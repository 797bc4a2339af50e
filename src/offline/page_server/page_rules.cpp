// SPDX-License-Identifier: MIT
#include "page_server/page_rules.hpp"

#include <sstream>
#include <string_view>
#include <utility>

#include "export/export.hpp"
#include "pprof/pprof.hpp"

namespace memprof::page_server {
namespace {

constexpr std::size_t worth_compressing = 1024;

http::header_list headers_of_all() {
  return {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
       "font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; "
       "form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Permissions-Policy", "camera=(), microphone=(), geolocation=()"},
      {"Cache-Control", "no-store"},
  };
}

http::response refusal(int status, std::string_view why) {
  http::response r{
      .status = status, .content_type = std::string(json_type), .body = {}, .headers = {}};
  r.set_body(exports::json_text(json{{"error", why}}));
  return r;
}

bool takes_gzip(std::string_view list) {
  const std::size_t at = list.find("gzip");
  return at != list.npos && list.substr(at, 8) != "gzip;q=0";
}

void compress(http::response& r) {
  std::ostringstream out;
  pprof::gzip_writer writer(out);
  writer.write(*r.body);
  writer.finish();
  r.set_body(std::move(out).str());
  r.headers.emplace_back("Content-Encoding", "gzip");
}

http::response answer(service const& answers, http::request const& r) {
  if (r.method != "GET" && r.method != "HEAD") {
    http::response to = refusal(405, "only GET and HEAD");
    to.headers.emplace_back("Allow", "GET, HEAD");
    return to;
  }
  if (r.target.size() > http::longest_target) return refusal(414, "too long an address");
  http::response to = answers.answer(http::decoded_path(http::request_target::of(r.target).path));
  to.headers.emplace_back("Vary", "Accept-Encoding");
  if (takes_gzip(r.accept_encoding) && to.content_type != index_type &&
      to.body->size() >= worth_compressing) {
    compress(to);
  }
  return to;
}

}  // namespace

http::connection_rules page_rules(std::shared_ptr<service const> answers, std::string host) {
  return {.answer = [answers = std::move(answers)](
                        http::request const& r) { return answer(*answers, r); },
          .refusal = &refusal,
          .own_name = std::move(host),
          .takes_bodies = false,
          .headers = headers_of_all()};
}

}  // namespace memprof::page_server
