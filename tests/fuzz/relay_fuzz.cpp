// SPDX-License-Identifier: MIT
//
// A hostile program's side of the shared memory, while the recorder reads: the ring's positions,
// stages and words change under it. The reading half of `record`, `record --pid`, `run` and its
// live pages: channel_reader, over the sink of traces and over that of live blocks, and what
// reports and pages are made from.
//
// The input: a byte of choices; then records that are pushed as a program does, each a byte of its
// kind, one of its detail, one of its tag, one of its words, and these. Behind a kind of 0 or above
// 15 the rest is scribbles of 1 + 4 + 8 bytes: after how many reads, where and what.
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <sys/mman.h>
#include <vector>

#include "hostile_memory.hpp"
#include "recorder/heap_rows.hpp"
#include "recorder/live_blocks.hpp"
#include "recorder/live_snapshot.hpp"
#include "recorder/process_trace.hpp"
#include "records/records.hpp"
#include "require.hpp"
#include "test_input.hpp"

using namespace memprof;
using memprof_fuzz::hostile;
using memprof_fuzz::require;
using memprof_fuzz::scribble;

namespace {

/// So much of the slots is used: what is touched is zeroed after each input.
constexpr std::size_t used_slots = 1024;
constexpr std::size_t used_bytes = relay::ring::header_bytes + used_slots * 64;
scribble take_scribble(std::byte* memory, memprof_fuzz::test_input& in) {
  static constexpr std::array<std::size_t, 3> positions{0, 8, 64};  // tail, limit, head
  auto const delay = in.take<std::uint8_t>();
  auto const where = in.take<std::uint32_t>();
  auto const what = in.take<std::uint64_t>();
  bool const of_positions = (where & 3) == 0;
  std::size_t const at = of_positions
                             ? positions[(where >> 2) % positions.size()]
                             : relay::ring::header_bytes + (where >> 2) % (used_slots * 8) * 8;
  // A position near those that are in use, or any.
  return {.delay = delay,
          .at = reinterpret_cast<std::uint64_t*>(memory + at),
          .what = of_positions && (where & 64) != 0 ? what % 4096 : what};
}

void push_begin(relay::ring& ring) {
  relay::text_words const path("/bin/program");
  auto const head =
      relay::record({.kind = relay::record_kind::begin, .detail = 0, .of = path.bytes(), .time = 1},
                    std::array<std::uint64_t, 2>{0x3f50624dd2f1a9fc, 1}, path.words().size());
  ring.push(head, path.words());
}

void push_one(relay::ring& ring, std::uint8_t kind, memprof_fuzz::test_input& in) {
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

std::unique_ptr<recorder::process_sink> sink_for(bool trace) {
  if (!trace) return std::make_unique<recorder::live_blocks>(1, true);
  return std::make_unique<recorder::process_trace>(recorder::trace_description{
      .file = "/dev/null", .file_is_there = true, .context = {}, .process = 1});
}

void use(recorder::live_blocks& live) {
  if (live.rate() == 0) return;
  std::array<recorder::live_blocks*, 1> all{&live};
  try {
    std::uint64_t words = 0;
    auto const add = [&](trace::event const& e) { words += e.length; };
    recorder::heap_rows(all).for_each_event(add);
    recorder::live_snapshot(all).for_each_event(add);
  } catch (std::exception const&) {  // says what is wrong
  }
  require(live.amount().bytes >= 0);
}

/// As the reader does once it has waited long enough.
void take_behind_hole(relay::ring& ring, recorder::process_sink& sink,
                      records::record_buffer& buffer) {
  std::uint64_t from = ring.popped();
  for (int i = 0; i < 64; ++i) {
    auto const record = ring.pop_behind_hole(buffer, from);
    if (record.empty()) return;
    relay::popped_record r;
    if (relay::popped_record::read(record, r)) sink.take(r);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static auto* const memory =
      static_cast<std::byte*>(mmap(nullptr, sizeof(relay::ring), PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  static records::record_buffer buffer;
  relay::ring& ring = *reinterpret_cast<relay::ring*>(memory);
  std::memset(memory, 0, used_bytes);

  memprof_fuzz::test_input in{data, size};
  auto const choices = in.take<std::uint8_t>();
  push_begin(ring);
  for (std::uint8_t kind = in.take<std::uint8_t>(); kind != 0 && kind < 16;
       kind = in.take<std::uint8_t>()) {
    if (ring.claimed() + 64 > used_slots) break;
    push_one(ring, kind, in);
  }
  std::vector<scribble> scribbles;
  while (in.left > 5 && scribbles.size() < 256) scribbles.push_back(take_scribble(memory, in));

  // Traces and reports are made now and then: each has tables of 600 KB.
  bool const traced = choices % 16 == 0;
  bool const reported = choices % 16 == 1;
  std::unique_ptr<recorder::process_sink> const sink = sink_for(traced);
  hostile.plan(std::move(scribbles));
  records::channel_reader reader(ring, *sink, buffer);
  reader.take((choices & 16) != 0, 1000);
  reader.look_at_hole();
  if ((choices & 32) != 0) reader.take_all(true);
  if ((choices & 64) != 0) take_behind_hole(ring, *sink, buffer);
  if ((choices & 128) != 0) ring.skip_hole();
  sink->flush();
  hostile.end();
  reader.take_all((choices & 16) == 0);
  if (reported) use(static_cast<recorder::live_blocks&>(*sink));
  sink->close();
  return 0;
}
