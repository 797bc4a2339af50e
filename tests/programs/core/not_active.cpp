// SPDX-License-Identifier: MIT
// memprof::core alone, nothing feeds the sampler: every limit function throws not_active, names
// itself, and does not run its task. An explicit source makes limits work, for as long as it lives.
#include <optional>
#include <string>

#include "memprof/memprof.hpp"

#include "programs/check.hpp"

using namespace memprof::literals;

namespace {

bool ran = false;

template <class Call>
bool refused(char const* name, Call call) {
  ran = false;
  try {
    call([] { ran = true; });
  } catch (memprof::not_active const& e) {
    return !ran && std::string(e.what()).find(name) != std::string::npos;
  }
  return false;
}

void all_refused() {
  CHECK(!memprof::is_active());
  CHECK(refused("limit_allocations", [](auto f) { (void)memprof::limit_allocations(1_MiB, f); }));
  CHECK(refused("limit_memory", [](auto f) { (void)memprof::limit_memory(1_MiB, f); }));
  CHECK(refused("limit_global_memory", [](auto f) { (void)memprof::limit_global_memory(f); }));
  CHECK(refused("limit_with_token",
                [](auto f) { (void)memprof::limit_with_token(memprof::token{}, f); }));
  CHECK(refused("limit_with_token",
                [](auto f) { (void)memprof::limit_with_token(std::stop_token{}, f); }));
  CHECK(
      refused("limit_time", [](auto f) { (void)memprof::limit_time(std::chrono::seconds(1), f); }));
  CHECK(refused("run_limited", [](auto f) { (void)memprof::run_limited({}, f); }));
  CHECK(refused("budget::run", [](auto f) { (void)memprof::budget{{}}.run(f); }));
}

}  // namespace

int main() {
  all_refused();
  {
    memprof::memory_resource resource;
    CHECK(memprof::is_active());
    const auto r = memprof::limit_allocations(1_MiB, [&] {
      while (true) resource.deallocate(resource.allocate(1000), 1000);
    });
    CHECK(!r && r.error().kind() == memprof::limit_kind::allocations);
  }
  all_refused();
  {
    memprof::external device{"device"};
    CHECK(memprof::is_active());
    int blocks[1000];
    const auto r = memprof::limit_memory(1_MiB, [&] {
      for (int& block : blocks) {
        device.report_allocation(&block, 100_KiB);
        memprof::cancellation_point();
      }
    });
    CHECK(!r && r.error().kind() == memprof::limit_kind::memory);
    for (int& block : blocks) device.report_deallocation(&block);
  }
  all_refused();
}
