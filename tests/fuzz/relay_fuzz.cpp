// SPDX-License-Identifier: MIT
//
// A hostile program's side of the shared memory, while the recorder reads: the ring's positions,
// stages and words change under it. The reading half of `record`, `record --pid`, `run` and its
// live pages: channel_reader, over the sink of traces and over that of live blocks, and what
// reports and pages are made from.
//
// The input: a byte of choices; then records that are pushed as a program does, each a byte of its
// kind, one of its detail, one of its tag, one of its words, and these. Behind a kind of 0 or above
// 15 the rest is scribbles of 4 + 8 bytes, where and what. Another thread repeats these as long as
// the reader is at work.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <vector>

#include "recorder/channel_reader.hpp"
#include "recorder/heap_rows.hpp"
#include "recorder/live_blocks.hpp"
#include "recorder/live_snapshot.hpp"
#include "recorder/process_trace.hpp"
#include "recorder/trace_in_memory.hpp"
#include "require.hpp"

using namespace memprof;
using memprof_fuzz::require;

namespace {

/// So much of the slots is used: what is touched is zeroed after each input.
constexpr std::size_t used_slots = 1024;
constexpr std::size_t used_bytes = relay::ring::header_bytes + used_slots * 64;
constexpr int most_positions = 3;  // tail, limit, head

struct scribble {
  std::uint32_t where;
  std::uint64_t what;
};

class scribbler {
 public:
  explicit scribbler(std::byte* memory) : memory_(memory), thread_([this] { run(); }) {}
  ~scribbler() {
    end_.store(true);
    thread_.join();
  }
  void begin(std::vector<scribble> what) {
    what_ = std::move(what);
    asked_.fetch_add(1, std::memory_order_release);
    asked_.notify_one();
  }
  void stop() {
    std::uint64_t const n = asked_.fetch_add(1, std::memory_order_release) + 1;
    while (done_.load(std::memory_order_acquire) != n - 1) {
    }
  }

 private:
  /// Odd: at work on it; even: it is to stop.
  void run() {
    for (std::uint64_t seen = 0;;) {
      while (asked_.load(std::memory_order_acquire) == seen) {
        if (end_.load(std::memory_order_relaxed)) return;
        std::this_thread::yield();
      }
      std::uint64_t const mine = seen + 1;
      do {
        for (scribble const& s : what_) write(s);
      } while (asked_.load(std::memory_order_acquire) == mine);
      done_.store(mine, std::memory_order_release);
      seen = mine + 1;
    }
  }
  void write(scribble const& s) const {
    static constexpr std::array<std::size_t, most_positions> positions{0, 8, 64};
    std::size_t const at = (s.where & 3) == 0
                               ? positions[(s.where >> 2) % most_positions]
                               : relay::ring::header_bytes + (s.where >> 2) % (used_slots * 8) * 8;
    // A position near those that are in use, or any.
    std::uint64_t const value = (s.where & 3) == 0 && (s.where & 64) != 0 ? s.what % 4096 : s.what;
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(memory_ + at), value, __ATOMIC_RELAXED);
  }

  std::byte* memory_;
  std::vector<scribble> what_;
  std::atomic<std::uint64_t> asked_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> end_{false};
  std::thread thread_;
};

struct input {
  std::uint8_t const* at;
  std::size_t left;

  template <class T>
  T take() {
    T value{};
    std::size_t const n = std::min(left, sizeof value);
    std::memcpy(&value, at, n);
    at += n;
    left -= n;
    return value;
  }
};

void push_begin(relay::ring& ring) {
  relay::text_words const path("/bin/program");
  auto const head =
      relay::record({.kind = relay::record_kind::begin, .detail = 0, .of = path.bytes(), .time = 1},
                    std::array<std::uint64_t, 2>{0x3f50624dd2f1a9fc, 1}, path.words().size());
  ring.push(head, path.words());
}

void push_one(relay::ring& ring, std::uint8_t kind, input& in) {
  auto const detail = in.take<std::uint8_t>();
  auto const of = in.take<std::uint8_t>();
  std::vector<std::uint64_t> words(in.take<std::uint8_t>() % 40);
  for (std::uint64_t& w : words)
    w = (detail & 128) != 0 ? in.take<std::uint64_t>() : in.take<std::uint16_t>();
  auto const head = relay::record({.kind = static_cast<relay::record_kind>(kind),
                                   .detail = static_cast<std::uint8_t>(detail & 15),
                                   .of = of,
                                   .time = 100},
                                  std::array<std::uint64_t, 0>{}, words.size());
  ring.push(head, words);
}

void use(recorder::live_blocks& live) {
  if (live.rate() == 0) return;
  std::array<recorder::live_blocks*, 1> all{&live};
  try {
    recorder::heap_rows const rows(all);
    recorder::trace_in_memory memory;
    rows.write(memory);
    recorder::live_snapshot const snapshot(all);
  } catch (std::exception const&) {  // says what is wrong
  }
  require(live.amount().bytes >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static auto* const memory =
      static_cast<std::byte*>(mmap(nullptr, sizeof(relay::ring), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  static scribbler other(memory);
  static recorder::record_buffer buffer;
  relay::ring& ring = *reinterpret_cast<relay::ring*>(memory);
  std::memset(memory, 0, used_bytes);

  input in{data, size};
  auto const choices = in.take<std::uint8_t>();
  push_begin(ring);
  for (std::uint8_t kind = in.take<std::uint8_t>(); kind != 0 && kind < 16;
       kind = in.take<std::uint8_t>()) {
    if (ring.claimed() + 64 > used_slots) break;
    push_one(ring, kind, in);
  }
  std::vector<scribble> scribbles;
  while (in.left > 4 && scribbles.size() < 256) {
    scribbles.push_back({in.take<std::uint32_t>(), in.take<std::uint64_t>()});
  }

  recorder::process_trace trace(
      {.file = "/dev/null", .file_is_there = true, .context = {}, .process = 1});
  recorder::live_blocks live(1, true);
  recorder::process_sink& sink =
      (choices & 1) != 0 ? static_cast<recorder::process_sink&>(trace) : live;
  other.begin(std::move(scribbles));
  recorder::channel_reader reader(ring, sink, buffer);
  reader.take((choices & 2) != 0, 1000);
  reader.look_at_hole();
  if ((choices & 4) != 0) reader.take_all(true);
  sink.flush();
  other.stop();
  reader.take_all((choices & 8) != 0);
  if ((choices & 1) == 0) use(live);
  sink.close();
  return 0;
}
