// SPDX-License-Identifier: MIT
#include "records/channel_reader.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "support/catch2.hpp"

using namespace memprof;

namespace {

struct counting_sink final : records::record_sink {
  int taken = 0;
  std::chrono::microseconds each{0};

  void take(relay::popped_record const&) noexcept override {
    ++taken;
    if (each.count() != 0) std::this_thread::sleep_for(each);
  }
};

constexpr auto small_record =
    relay::record({.kind = relay::record_kind::collection, .detail = 0, .of = 1, .time = 1},
                  std::array<std::uint64_t, 0>{}, 0);

}  // namespace

TEST_CASE("a program that pushes for ever does not keep the recorder", "[records]") {
  auto const ring = std::make_unique<relay::ring>();
  auto const buffer = std::make_unique<records::record_buffer>();
  counting_sink sink;
  records::channel_reader reader(*ring, sink, *buffer);
  std::atomic<bool> end{false};
  std::thread hostile([&] {
    while (!end.load()) ring->push(small_record, {});
  });
  while (ring->claimed() < 1000) std::this_thread::yield();
  reader.take_all(true);
  reader.take_last();
  CHECK(sink.taken <= 45 * static_cast<int>(relay::ring::capacity));
  end = true;
  hostile.join();
}

TEST_CASE("records that take long end a turn", "[records]") {
  auto const ring = std::make_unique<relay::ring>();
  auto const buffer = std::make_unique<records::record_buffer>();
  counting_sink sink;
  sink.each = std::chrono::milliseconds(1);
  records::channel_reader reader(*ring, sink, *buffer);
  for (int i = 0; i < 1000; ++i) ring->push(small_record, {});
  CHECK(reader.take(false, 20'000) < 200);
  sink.each = {};
  reader.take_all(false);
  CHECK(sink.taken == 1000);
}
