// SPDX-License-Identifier: MIT
#include "memprof/serve/respond.hpp"

#include <atomic>
#include <memory>
#include <pthread.h>
#include <utility>

#include "answers/answers.hpp"
#include "endpoints/answer_work.hpp"
#include "endpoints/live_profile.hpp"
#include "endpoints/page_file.hpp"
#include "endpoints/process_source.hpp"

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

answers::routes& the_answers() {
  own_answers* a = current.load(std::memory_order_acquire);
  if (a != nullptr) return a->all;
  auto fresh = std::make_unique<own_answers>();
  if (!current.compare_exchange_strong(a, fresh.get(), std::memory_order_acq_rel)) return a->all;
  return fresh.release()->all;
}

answer_kind kind_of(answers::subject what) noexcept {
  switch (what) {
    case answers::subject::metrics:
      return answer_kind::metrics;
    case answers::subject::heap:
    case answers::subject::allocs:
    case answers::subject::delta_heap:
      return answer_kind::profile;
    case answers::subject::page:
      return answer_kind::page;
    default:
      return answer_kind::other;
  }
}

}  // namespace
}  // namespace memprof::endpoints

namespace memprof::inline v0::serve {

response respond(request const& r) {
  const answers::subject what = answers::subject_of(r);
  const endpoints::counted_answer counted(endpoints::kind_of(what));
  return endpoints::the_answers().to(r, what);
}

void set_page_file(std::string path) { endpoints::choose_page_file(std::move(path)); }

void collect_stacks(std::optional<sampling_rate> rate) { endpoints::begin_collecting(rate); }

}  // namespace memprof::inline v0::serve
