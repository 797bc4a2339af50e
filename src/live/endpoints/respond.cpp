// SPDX-License-Identifier: MIT
#include "memprof/serve/respond.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <pthread.h>
#include <utility>

#include "answers/answers.hpp"
#include "endpoints/answer_work.hpp"
#include "endpoints/live_profile.hpp"
#include "endpoints/page_file.hpp"
#include "endpoints/page_routes.hpp"
#include "endpoints/process_source.hpp"
#include "http/http.hpp"

namespace memprof::endpoints {
namespace {

struct own_answers {
  process_source source;
  answers::routes all{source};
};

/// Never destroyed: answers may be asked for until the process ends.
constinit std::atomic<own_answers*> current{nullptr};

/// A child has only one of the threads that were answering, or waited: it begins anew.
void forget_in_child() { current.store(nullptr, std::memory_order_relaxed); }
[[maybe_unused]] int const watching_fork_for_answers =
    pthread_atfork(nullptr, nullptr, &forget_in_child);

/// The part of a path below that of the page; nullopt: it is another one.
std::optional<std::string_view> name_below_page(std::string_view path) {
  constexpr std::string_view root = "/debug/memprof";
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return path;
}

answers::routes& the_answers() {
  own_answers* a = current.load(std::memory_order_acquire);
  if (a != nullptr) return a->all;
  auto fresh = std::make_unique<own_answers>();
  if (!current.compare_exchange_strong(a, fresh.get(), std::memory_order_acq_rel)) return a->all;
  return fresh.release()->all;
}

/// By the path alone: also of what is refused.
answer_kind kind_of(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == "/metrics") return answer_kind::metrics;
  if (name_below_page(path)) return answer_kind::page;
  const std::string_view name = answers::name_below_pprof(path);
  const bool is_profile = name == "/heap" || name == "/allocs" || name == "/delta_heap";
  return is_profile ? answer_kind::profile : answer_kind::other;
}

serve::response answer(serve::request const& r) {
  const auto page = name_below_page(http::request_target::of(r.target).path);
  const bool reads = r.method == "GET" || r.method == "HEAD";
  const bool fits = r.target.size() <= http::longest_target && r.body.size() <= http::longest_body;
  if (!page || !reads || !fits) return the_answers().to(r);
  serve::response result = page_response(*page);
  if (r.method == "HEAD") result.body.clear();
  return result;
}

}  // namespace
}  // namespace memprof::endpoints

namespace memprof::inline v0::serve {

response respond(request const& r) {
  const endpoints::counted_answer counted(endpoints::kind_of(r.target));
  return endpoints::answer(r);
}

void set_page_file(std::string path) { endpoints::choose_page_file(std::move(path)); }

void collect_stacks(std::optional<sampling_rate> rate) { endpoints::begin_collecting(rate); }

}  // namespace memprof::inline v0::serve
