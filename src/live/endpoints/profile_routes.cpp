// SPDX-License-Identifier: MIT
#include "endpoints/profile_routes.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <sstream>
#include <thread>
#include <utility>

#include "endpoints/heap_report.hpp"
#include "endpoints/process_facts.hpp"
#include "endpoints/workshop.hpp"
#include "pprof/pprof.hpp"

namespace memprof::endpoints {
namespace {

using serve::response;

constexpr std::uint32_t most_seconds = 300;
constexpr int most_waiting = 4;
constexpr std::size_t most_symbols = 10'000;

std::atomic<int> waiting{0};

/// A child has none of the threads that waited.
[[maybe_unused]] int const watching_fork_for_profiles =
    pthread_atfork(nullptr, nullptr, [] { waiting.store(0, std::memory_order_relaxed); });

/// One of the few requests that may wait for their seconds.
class waiting_place {
 public:
  waiting_place() : has_(waiting.fetch_add(1) < most_waiting) {}
  ~waiting_place() { waiting.fetch_sub(1); }
  waiting_place(waiting_place const&) = delete;
  waiting_place& operator=(waiting_place const&) = delete;
  [[nodiscard]] bool has() const noexcept { return has_; }

 private:
  bool has_;
};

response pprof_response(std::string body, char const* name) {
  return {.status = 200,
          .content_type = "application/octet-stream",
          .body = std::move(body),
          .headers = {{"Content-Disposition", std::string("attachment; filename=\"") + name + '"'},
                      {"X-Content-Type-Options", "nosniff"}}};
}

/// What is wrong with a query; nullopt: nothing.
std::optional<response> refuse_query(request_target const& target, std::uint32_t& seconds) {
  const auto text = target.value("seconds");
  if (!text) return std::nullopt;
  const auto number = natural_number(*text, most_seconds);
  if (!number || *number == 0) {
    return text_response(400, "seconds is a whole number from 1 to 300");
  }
  if (target.value("debug").value_or("0") != "0") {
    return text_response(400, "debug and seconds do not go together");
  }
  seconds = *number;
  return std::nullopt;
}

response write_profile(profile_kind kind, profile_snapshot s, bool as_text) {
  workshop& w = the_workshop();
  const std::unique_lock turn(w.turn, workshop::patience);
  if (!turn) return busy_response("another profile is being written");
  if (as_text) return text_response(200, text_of(s, w.names));
  switch (kind) {
    case profile_kind::heap:
      return pprof_response(pprof_of(s, "inuse_space", w.names), "heap");
    case profile_kind::allocs:
      return pprof_response(pprof_of(s, "alloc_space", w.names), "allocs");
    case profile_kind::delta_heap:
      break;
  }
  profile_snapshot const changed = w.last_delta ? allocated_since(*w.last_delta, s) : s;
  w.last_delta = std::move(s);
  return pprof_response(pprof_of(changed, "alloc_space", w.names), "delta_heap");
}

}  // namespace

response text_response(int status, std::string text) {
  text += '\n';
  return {.status = status,
          .content_type = "text/plain; charset=utf-8",
          .body = std::move(text),
          .headers = {{"X-Content-Type-Options", "nosniff"}}};
}

response busy_response(char const* why) {
  response r = text_response(503, why);
  r.headers.emplace_back("Retry-After", "1");
  return r;
}

response index_page() {
  constexpr char page[] =
      "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>memprof</title></head><body>\n"
      "<h1>memprof</h1><ul>\n"
      "<li><a href=\"/debug/pprof/heap?debug=1\">heap</a>: memory in use, by stack "
      "(<a href=\"/debug/pprof/heap\">for pprof</a>, "
      "<a href=\"/debug/pprof/heap?seconds=10\">of 10 s</a>)</li>\n"
      "<li><a href=\"/debug/pprof/allocs?debug=1\">allocs</a>: the same, allocations first "
      "(<a href=\"/debug/pprof/allocs\">for pprof</a>)</li>\n"
      "<li><a href=\"/debug/pprof/delta_heap\">delta_heap</a>: allocations since the last "
      "request for it</li>\n"
      "<li><a href=\"/debug/memprof/\">memprof</a>: the page: blocks and their lives, live</li>\n"
      "<li><a href=\"/debug/pprof/cmdline\">cmdline</a>, "
      "<a href=\"/debug/pprof/symbol\">symbol</a>, <a href=\"/metrics\">metrics</a></li>\n"
      "</ul></body></html>\n";
  return {.status = 200, .content_type = "text/html; charset=utf-8", .body = page, .headers = {}};
}

response profile_response(profile_kind kind, request_target const& target) {
  std::uint32_t seconds = 0;
  if (auto refused = refuse_query(target, seconds)) return *std::move(refused);
  const bool as_text = target.value("debug").value_or("0") != "0";
  try {
    begin_collecting(std::nullopt);
  } catch (std::bad_alloc const&) {
    throw;
  } catch (std::exception const& error) {
    return text_response(503, error.what());
  }
  if (seconds == 0) return write_profile(kind, take_snapshot(), as_text);
  const waiting_place place;
  if (!place.has()) return busy_response("four requests wait for their seconds already");
  profile_snapshot const before = take_snapshot();
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  return write_profile(kind == profile_kind::delta_heap ? profile_kind::allocs : kind,
                       difference(before, take_snapshot()), as_text);
}

response command_line() {
  std::string text = raw_command_line(128 * 1024);
  if (text.ends_with('\0')) text.pop_back();
  return {.status = 200,
          .content_type = "text/plain; charset=utf-8",
          .body = std::move(text),
          .headers = {{"X-Content-Type-Options", "nosniff"}}};
}

response symbols(std::string_view addresses) {
  std::vector<std::uintptr_t> wanted;
  while (!addresses.empty()) {
    std::string_view one = addresses.substr(0, addresses.find('+'));
    addresses.remove_prefix(std::min(addresses.size(), one.size() + 1));
    if (one.starts_with("0x") || one.starts_with("0X")) one.remove_prefix(2);
    std::uintptr_t address = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), address, 16);
    if (error != std::errc{}) continue;
    if (wanted.size() == most_symbols) return text_response(413, "at most 10000 addresses");
    wanted.push_back(address);
  }
  std::ostringstream text;
  text << "num_symbols: 1\n" << std::hex;
  if (!wanted.empty()) {
    workshop& w = the_workshop();
    const std::unique_lock turn(w.turn, workshop::patience);
    if (!turn) return busy_response("a profile is being written");
    modules::code_places const found = w.names.find(wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (found.places[i].function.empty()) continue;
      text << "0x" << wanted[i] << '\t' << pprof::utf8(found.places[i].function) << '\n';
    }
  }
  return {.status = 200,
          .content_type = "text/plain; charset=utf-8",
          .body = std::move(text).str(),
          .headers = {{"X-Content-Type-Options", "nosniff"}}};
}

}  // namespace memprof::endpoints
