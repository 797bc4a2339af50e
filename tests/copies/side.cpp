// SPDX-License-Identifier: MIT
#include "copies/side.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memprof::test {
namespace {

void consume(std::size_t most) {
  std::vector<std::unique_ptr<char[]>> kept;
  for (std::size_t size = 0; size < most; size += 1024) {
    kept.push_back(std::make_unique<char[]>(1024));
  }
}

bool catches(task const& t) {
  return catch_all(
      [&] {
        t();
        return false;
      },
      [] { return true; });
}

std::size_t profiled(task const& t) {
  std::size_t samples = 0;
  const auto count = [&samples](allocation const& a) -> std::optional<int> {
    samples += a.n_samples;
    return std::nullopt;
  };
  tracker<int, int> counting;
  counting.alloc_minor = count;
  counting.alloc_major = count;
  profile p = start(sampling_rate{1.0}, std::move(counting));
  t();
  p.stop();
  p.discard();
  return samples;
}

std::string refusal() {
  try {
    static_cast<void>(memprof::limit_memory(bytes{1 << 30}, [] {}));
  } catch (not_active const& e) {
    return e.what();
  }
  return {};
}

constexpr side own{
    .test_with = test_with,
    .is_active = [] { return memprof::is_active(); },
    .limit_memory = [](bytes limit, task const& t) { return !memprof::limit_memory(limit, t); },
    .limit_allocations = [](bytes limit,
                            task const& t) { return !memprof::limit_allocations(limit, t); },
    .limit_with_token = [](token const& stop,
                           task const& t) { return !memprof::limit_with_token(stop, t); },
    .run = [](budget& account, task const& t) { return !account.run(t); },
    .masked =
        [](task const& t) {
          const masked_scope mask;
          t();
        },
    .is_masked = [] { return memprof::is_masked(); },
    .is_interrupted = [] { return memprof::is_interrupted(); },
    .cancellation_point = [] { memprof::cancellation_point(); },
    .consume = consume,
    .catches = catches,
    .with_lock = [](poisonable<int>& shared, task const& t) { shared.with([&](int&) { t(); }); },
    .child_of = [](token const& t) { return t.child(); },
    .live_memory = [] { return static_cast<std::size_t>(memprof::live_memory().value.count()); },
    .profiled = profiled,
    .refusal = refusal};

}  // namespace
}  // namespace memprof::test

memprof::test::side const* memprof_test_side() { return &memprof::test::own; }
