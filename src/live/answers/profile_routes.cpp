// SPDX-License-Identifier: MIT
#include "answers/profile_routes.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "answers/text_response.hpp"
#include "text/text.hpp"

namespace memprof::answers {
namespace {

using serve::response;

constexpr std::uint32_t most_seconds = 300;
constexpr int most_waiting = 4;
constexpr std::chrono::seconds patience{2};
constexpr std::size_t most_symbols = 10'000;

/// One of the few requests that may wait for their seconds.
class waiting_place {
 public:
  explicit waiting_place(std::atomic<int>& waiting)
      : waiting_(waiting), has_(waiting.fetch_add(1) < most_waiting) {}
  ~waiting_place() { waiting_.fetch_sub(1); }
  waiting_place(waiting_place const&) = delete;
  waiting_place& operator=(waiting_place const&) = delete;
  [[nodiscard]] bool has() const noexcept { return has_; }

 private:
  std::atomic<int>& waiting_;
  bool has_;
};

response pprof_response(std::string body, char const* name) {
  return {.status = 200,
          .content_type = "application/octet-stream",
          .body = std::move(body),
          .headers = {{"Content-Disposition", std::string("attachment; filename=\"") + name + '"'},
                      {"X-Content-Type-Options", "nosniff"}}};
}

bool wants_text(http::request_target const& target) {
  return target.value("debug").value_or("0") != "0";
}

/// What is wrong with a query; nullopt: nothing.
std::optional<response> refuse_query(http::request_target const& target, std::uint32_t& seconds) {
  const auto text = target.value("seconds");
  if (!text) return std::nullopt;
  const auto number = http::natural_number(*text, most_seconds);
  if (!number || *number == 0) {
    return text_response(400, "seconds is a whole number from 1 to 300");
  }
  if (wants_text(target)) {
    return text_response(400, "debug and seconds do not go together");
  }
  seconds = *number;
  return std::nullopt;
}

/// nullopt: more than there may be.
std::optional<std::vector<std::uintptr_t>> addresses_in(std::string_view text) {
  std::vector<std::uintptr_t> wanted;
  while (!text.empty()) {
    std::string_view one = text.substr(0, text.find('+'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (one.starts_with("0x") || one.starts_with("0X")) one.remove_prefix(2);
    std::uintptr_t address = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), address, 16);
    if (error != std::errc{}) continue;
    if (wanted.size() == most_symbols) return std::nullopt;
    wanted.push_back(address);
  }
  return wanted;
}

}  // namespace

response index_page(bool with_page) {
  std::string page =
      "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>memprof</title></head><body>\n"
      "<h1>memprof</h1><ul>\n"
      "<li><a href=\"/debug/pprof/heap?debug=1\">heap</a>: memory in use, by stack "
      "(<a href=\"/debug/pprof/heap\">for pprof</a>, "
      "<a href=\"/debug/pprof/heap?seconds=10\">of 10 s</a>)</li>\n"
      "<li><a href=\"/debug/pprof/allocs?debug=1\">allocs</a>: the same, allocations first "
      "(<a href=\"/debug/pprof/allocs\">for pprof</a>)</li>\n"
      "<li><a href=\"/debug/pprof/delta_heap\">delta_heap</a>: allocations since the last "
      "request for it</li>\n";
  if (with_page) {
    page +=
        "<li><a href=\"/debug/memprof/\">memprof</a>: the page: blocks and their lives, "
        "live</li>\n";
  }
  page +=
      "<li><a href=\"/debug/pprof/cmdline\">cmdline</a>, "
      "<a href=\"/debug/pprof/symbol\">symbol</a>, <a href=\"/metrics\">metrics</a></li>\n"
      "</ul></body></html>\n";
  return {.status = 200,
          .content_type = "text/html; charset=utf-8",
          .body = std::move(page),
          .headers = {}};
}

response profile_routes::write(profile_kind kind, std::unique_ptr<heap_profile> taken,
                               bool as_text) {
  const std::unique_lock turn(turn_, patience);
  if (!turn) return busy_response("another profile is being written");
  if (as_text) return text_response(200, taken->text());
  switch (kind) {
    case profile_kind::heap:
      return pprof_response(taken->pprof("inuse_space"), "heap");
    case profile_kind::allocs:
      return pprof_response(taken->pprof("alloc_space"), "allocs");
    case profile_kind::delta_heap:
      break;
  }
  const auto changed = last_delta_ ? taken->allocated_since(*last_delta_) : nullptr;
  std::string body = (changed ? *changed : *taken).pprof("alloc_space");
  last_delta_ = std::move(taken);
  return pprof_response(std::move(body), "delta_heap");
}

response profile_routes::changes(profile_kind kind, std::uint32_t seconds) {
  const waiting_place place(waiting_);
  if (!place.has()) return busy_response("four requests wait for their seconds already");
  auto const before = from_.take_profile();
  from_.wait(std::chrono::seconds(seconds));
  return write(kind == profile_kind::delta_heap ? profile_kind::allocs : kind,
               from_.take_profile()->change_since(*before), false);
}

response profile_routes::profile(profile_kind kind, http::request_target const& target) {
  std::uint32_t seconds = 0;
  if (auto refused = refuse_query(target, seconds)) return *std::move(refused);
  try {
    if (seconds > 0) return changes(kind, seconds);
    return write(kind, from_.take_profile(), wants_text(target));
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::exception const& error) {
    return text_response(503, error.what());
  }
}

response profile_routes::symbols(std::string_view addresses) {
  const auto wanted = addresses_in(addresses);
  if (!wanted) return text_response(413, "at most 10000 addresses");
  std::ostringstream text;
  text << "num_symbols: 1\n" << std::hex;
  if (!wanted->empty()) {
    const std::unique_lock turn(turn_, patience);
    if (!turn) return busy_response("a profile is being written");
    const auto found = from_.functions_at(*wanted);
    if (!found) return text_response(404, "profiles have the names of their functions");
    for (std::size_t i = 0; i < wanted->size(); ++i) {
      if ((*found)[i].empty()) continue;
      text << "0x" << (*wanted)[i] << '\t' << text::printable((*found)[i]) << '\n';
    }
  }
  return plain_response(std::move(text).str());
}

}  // namespace memprof::answers
