// SPDX-License-Identifier: MIT
#include "limits/check_arguments.hpp"

#include <stdexcept>
#include <string>

#include "memprof/limits.hpp"

#include "copies/copies.hpp"
#include "engine/engine.hpp"

namespace memprof::inline v0 {

void sampling_rate::throw_out_of_range(double per_word) {
  throw std::invalid_argument("memprof::sampling_rate: " + std::to_string(per_word) +
                              " per word is not a probability in [0, 1]");
}

namespace {

constexpr char without_source[] =
    ": nothing feeds the sampler: link memprof::memprof, or allocate through "
    "memprof::memory_resource, memprof::allocator or memprof::external; and "
    "do not call it from a callback of the library, where nothing counts";

constexpr char beside_foreign[] =
    ": nothing feeds the sampler: the program, or another module of it, has a memprof of another "
    "build, which this one cannot use; build all modules with the same one";

}  // namespace

not_active::not_active(char const* function)
    : std::logic_error(std::string("memprof::") + function +
                       (copies::met_foreign_copy() ? beside_foreign : without_source)) {}

namespace detail {
namespace {

constexpr double least_risk = 1e-300;

[[noreturn]] void refuse(char const* function, std::string const& what) {
  throw std::invalid_argument(std::string("memprof::") + function + ": " + what);
}

}  // namespace

void check_amount(char const* function, bytes amount) {
  if (amount.count() < 0) {
    refuse(function, "the limit is negative: " + std::to_string(amount.count()) + " bytes");
  }
  if (amount > max_allocation_limit) {
    refuse(function,
           "the limit is over max_allocation_limit: " + std::to_string(amount.count()) + " bytes");
  }
}

void check_time(char const* function, std::chrono::nanoseconds time) {
  if (time.count() < 0) {
    refuse(function, "the time is negative: " + std::to_string(time.count()) + " ns");
  }
}

void check_request(scope_request const& r) {
  if (r.allocations) check_amount(r.function, *r.allocations);
  if (r.memory) check_amount(r.function, *r.memory);
  if (r.time) check_time(r.function, *r.time);
  if (r.grace.count() < 0) {
    refuse(r.function, "the grace is negative: " + std::to_string(r.grace.count()) + " words");
  }
  if (const double risk = r.false_interrupt_probability.value_or(0.5);
      !(risk >= least_risk && risk <= 0.5)) {
    throw std::domain_error(
        std::string("memprof::") + r.function +
        ": the false-interrupt probability is not in [1e-300, 1/2]: " + std::to_string(risk));
  }
  if (r.explain > most_explained_stacks) {
    refuse(r.function,
           "explain asks for more than " + std::to_string(most_explained_stacks) + " stacks");
  }
  if (ceiling const* c = r.ceiling) {
    if (c->beyond.count() < 0) {
      refuse(r.function,
             "the ceiling is negative: " + std::to_string(c->beyond.count()) + " bytes");
    }
    if (c->action == ceiling_action::call && !c->callback) {
      refuse(r.function, "the ceiling has no callback");
    }
  }
  for (soft_limit const& soft : r.soft) {
    if (!(soft.fraction > 0.0 && soft.fraction <= 1.0)) {
      refuse(r.function,
             "the fraction of a soft limit is not in (0, 1]: " + std::to_string(soft.fraction));
    }
  }
}

void check_active(char const* function) {
  // `run` has gone there; tasks that can pause cannot.
  if (copies::other() != nullptr) {
    throw std::logic_error(std::string("memprof::") + function +
                           ": another module's copy of memprof works for this process, and tasks "
                           "that pause need their own: link this module and the program with the "
                           "shared libraries of memprof");
  }
  engine::ensure_started();
  if (char const* error = engine::configuration_error()) refuse(function, error);
  if (!engine::has_source() || engine::current.muted > 0) throw not_active(function);
}

}  // namespace detail
}  // namespace memprof::inline v0
