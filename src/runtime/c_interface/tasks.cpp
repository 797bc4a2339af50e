// SPDX-License-Identifier: MIT
// Tasks under limits, as memprof/memprof.h has them.
#include <memory>
#include <optional>

#include "memprof/masking.hpp"

#include "c_interface/convert.hpp"
#include "c_interface/handles.hpp"

using namespace memprof;
namespace c = memprof::c_interface;

namespace {

using task_function = void (*)(void* context);

}  // namespace

int memprof_run(memprof_limits const* limits, task_function task, void* context,
                memprof_error* error) {
  memprof::limits l;
  const int checked = c::guarded(error, [&] {
    l = c::limits_of(*limits);
    memprof::detail::check_run(memprof::detail::make_request("memprof_run", l));
    return MEMPROF_OK;
  });
  if (checked != MEMPROF_OK) return checked;
  // Outside of all handlers: what the task throws passes here as if this were not there.
  const auto request = memprof::detail::make_request("memprof_run", l);
  return c::report(memprof::detail::run(request, task, context), error);
}

int memprof_begin(memprof_limits const* limits, memprof_scope** scope, memprof_error* error) {
  *scope = nullptr;
  return c::guarded(error, [&] {
    auto fresh = std::make_unique<memprof_scope>(c::limits_of(*limits));
    memprof::detail::run_report before;
    auto request = memprof::detail::make_request("memprof_begin", fresh->limits);
    request.begun_by = fresh.get();
    if (memprof::detail::begin_scope(request, before) == nullptr) return c::report(before, error);
    *scope = fresh.release();
    return c::report({}, error);
  });
}

int memprof_end(memprof_scope* scope, memprof_error* error) {
  if (scope == nullptr) return MEMPROF_OK;
  return c::guarded(error, [&] {
    const auto report = memprof::detail::end_scope(scope);
    if (!report) {
      return c::refuse(MEMPROF_INVALID, "memprof_end: it is none of this thread's limits", error);
    }
    const std::unique_ptr<memprof_scope> ended(scope);
    return c::report(*report, error);
  });
}

bool memprof_should_stop() { return memprof::detail::should_stop(); }

memprof_token* memprof_token_new() {
  memprof_token* fresh = nullptr;
  c::guarded(nullptr, [&] {
    fresh = new memprof_token(token());
    return MEMPROF_OK;
  });
  return fresh;
}

memprof_token* memprof_token_child(memprof_token const* parent) {
  memprof_token* fresh = nullptr;
  c::guarded(nullptr, [&] {
    fresh = new memprof_token(parent->is.child());
    return MEMPROF_OK;
  });
  return fresh;
}

void memprof_token_set(memprof_token* t, char const* reason) { t->is.set(reason); }

bool memprof_token_is_set(memprof_token const* t) { return t->is.is_set(); }

void memprof_token_free(memprof_token* t) { delete t; }

memprof_budget* memprof_budget_new(memprof_limits const* limits, memprof_error* error) {
  memprof_budget* fresh = nullptr;
  c::guarded(error, [&] {
    fresh = new memprof_budget(c::limits_of(*limits));
    return c::report({}, error);
  });
  return fresh;
}

int memprof_budget_run(memprof_budget* b, task_function task, void* context, memprof_error* error) {
  const int checked = c::guarded(error, [] {
    memprof::detail::check_run({.function = "memprof_budget_run"});
    return MEMPROF_OK;
  });
  if (checked != MEMPROF_OK) return checked;
  const auto r = b->is.run([&] { task(context); });
  memprof::detail::run_report report;
  if (r) {
    report.allocated = r->allocated;
  } else {
    report.error = r.error();
  }
  return c::report(report, error);
}

std::int64_t memprof_budget_allocated(memprof_budget const* b) { return b->is.allocated().count(); }

void memprof_budget_live(memprof_budget const* b, memprof_estimate* live) {
  c::write(*live, c::estimate_of(b->is.live()));
}

void memprof_budget_free(memprof_budget* b) { delete b; }

void const* memprof_mask() { return memprof::detail::mask(); }

void memprof_unmask(void const* mask) { memprof::detail::unmask(mask); }
