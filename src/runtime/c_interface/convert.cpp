// SPDX-License-Identifier: MIT
#include "c_interface/convert.hpp"

#include <chrono>
#include <string>

#include "memprof/token.hpp"

#include "c_interface/handles.hpp"

namespace memprof::c_interface {
namespace {

std::optional<bytes> amount(std::int64_t given) {
  if (given == -1) return std::nullopt;
  return bytes{given};  // a negative one is refused, with its value
}

template <class E>
E enumerator(int value, int last, char const* name) {
  if (value < 0 || value > last) {
    throw std::invalid_argument(std::string("memprof_limits: ") + name + " is " +
                                std::to_string(value));
  }
  return static_cast<E>(value);
}

/// The notice in C, and what the callback decided.
void notify(void (*callback)(void*, memprof_notice*), void* context, soft_limit_notice& n) {
  memprof_notice notice{.size = sizeof notice,
                        .kind = static_cast<int>(n.kind()),
                        .limit = n.limit().count(),
                        .measured = estimate_of(n.measured()),
                        .new_limit = -1};
  callback(context, &notice);
  if (notice.new_limit != -1) n.raise_limit(bytes{notice.new_limit});
}

/// For messages, a structure must have their place.
bool takes_messages(memprof_error const* to) noexcept {
  return to != nullptr && to->size >= offsetof(memprof_error, kind) && to->size <= most_size;
}

void write_message(std::string_view text, memprof_error& to) noexcept {
  if (to.message == nullptr || to.message_size == 0) return;
  const std::size_t n = std::min(text.size(), to.message_size - 1);
  std::memcpy(to.message, text.data(), n);
  to.message[n] = '\0';
}

}  // namespace

memprof::limits limits_of(memprof_limits const& given) {
  const memprof_limits g = read(given, memprof_no_limits());
  memprof::limits l;
  l.allocations = amount(g.allocations);
  l.memory = amount(g.memory);
  l.global_memory = g.global_memory;
  if (g.token != nullptr) l.token = g.token->is;
  if (g.time != -1) l.time = std::chrono::nanoseconds(g.time);
  if (g.cancel_if != nullptr) {
    l.cancel_if = [ask = g.cancel_if, context = g.cancel_context] { return ask(context); };
  }
  l.count = enumerator<counting>(g.count, MEMPROF_EXACT, "count");
  l.strict = g.strict;
  l.malloc_after_hit =
      enumerator<malloc_policy>(g.malloc_after_hit, MEMPROF_REFUSE_WITH_GRACE, "malloc_after_hit");
  if (g.soft != nullptr) {
    l.soft.push_back({.fraction = g.soft_fraction,
                      .callback = [call = g.soft, context = g.soft_context](soft_limit_notice& n) {
                        notify(call, context, n);
                      }});
  }
  if (g.false_interrupt_probability != 0)
    l.false_interrupt_probability = g.false_interrupt_probability;
  l.explain = g.explain;
  return l;
}

memprof_estimate estimate_of(memprof::estimate const& e) noexcept {
  return {.size = sizeof(memprof_estimate),
          .value = e.value.count(),
          .lower = e.lower.count(),
          .upper = e.upper.count(),
          .confidence = e.confidence,
          .samples = e.samples};
}

int report(memprof::detail::run_report const& r, memprof_error* to) noexcept {
  if (takes_messages(to)) {
    memprof_error result = memprof_error_with(to->message, to->message_size);
    result.allocated = r.allocated.count();
    if (r.error) {
      interrupted const& e = *r.error;
      result.kind = static_cast<int>(e.kind());
      result.limit = e.limit().count();
      result.measured = e.measured().count();
      result.refused_request = e.refused_request().count();
      result.overshoot = e.overshoot().count();
      result.interrupts = e.deliveries();
      result.deferrals = e.deferrals();
      result.refusals = e.refusals();
      result.started = e.started();
      try {
        write_message(e.message(), result);
      } catch (...) {
        write_message("a limit was hit", result);
      }
    } else {
      write_message("", result);
    }
    write(*to, result);
  }
  return r.error ? MEMPROF_LIMIT_HIT : MEMPROF_OK;
}

int refuse(int status, std::string_view why, memprof_error* to) noexcept {
  if (takes_messages(to)) {
    memprof_error result = memprof_error_with(to->message, to->message_size);
    result.started = false;
    write_message(why, result);
    write(*to, result);
  }
  return status;
}

}  // namespace memprof::c_interface
