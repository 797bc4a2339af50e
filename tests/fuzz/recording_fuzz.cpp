// SPDX-License-Identifier: MIT
//
// A whole recording of a process that has made the shared memory and is hostile: the control page,
// the heads of channels and their rings change while the recorder works. `record --pid`, and `run`
// and its live pages, which look at the same words.
//
// The input: a byte of choices, then scribbles of 1 + 2 + 2 + 8 bytes: after how many reads, in
// which part, where and what. The first few are there from the beginning.
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include "hostile_memory.hpp"
#include "recorder/live_blocks.hpp"
#include "recorder/recording.hpp"
#include "relay/create.hpp"
#include "require.hpp"
#include "test_input.hpp"

using namespace memprof;
using memprof_fuzz::hostile;
using memprof_fuzz::require;
using memprof_fuzz::scribble;

namespace {

constexpr std::size_t used_channels = 4;

struct parts {
  int descriptor = -1;
  relay::area* area = nullptr;
};

/// As the program to which one attaches makes it.
parts make_memory() {
  char const* failed = "";
  parts made{.descriptor = relay::create_memory(failed)};
  if (made.descriptor < 0) throw std::runtime_error(failed);
  void* const at = mmap(nullptr, sizeof(relay::area), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, made.descriptor, 0);
  if (at == MAP_FAILED) throw std::runtime_error("mmap");
  made.area = static_cast<relay::area*>(at);
  return made;
}

/// A word of the control page, of a channel's head, of a ring's head or its first slots.
std::uint64_t* word(relay::area& area, std::uint16_t part, std::uint16_t where) {
  auto* const control = reinterpret_cast<std::uint64_t*>(&area.shared);
  relay::channel& c = area.channels[(part >> 2) % used_channels];
  auto* const ring = reinterpret_cast<std::uint64_t*>(&c.events);
  switch (part & 3) {
    case 0:
      return control + where % (relay::control_bytes / 8);
    case 1:
      return reinterpret_cast<std::uint64_t*>(&c) + where % 4;
    case 2:
      return ring + where % 16;
    default:
      return ring + relay::ring::header_bytes / 8 + where % 512;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  memprof_fuzz::test_input in{data, size};
  auto const choices = in.take<std::uint8_t>();
  parts const made = make_memory();
  relay::area& area = *made.area;
  area.shared.first_process.store(1);
  for (std::size_t i = 0; i <= choices % used_channels; ++i) {
    area.channels[i].process = (choices & 16) != 0 ? getpid() : static_cast<pid_t>(i);
    area.channels[i].visible = 1;
    area.channels[i].state.store(relay::channel_state::used);
  }
  std::vector<scribble> scribbles;
  for (int i = 0; in.left > 0 && i < 256; ++i) {
    auto const delay = in.take<std::uint8_t>();
    auto const part = in.take<std::uint16_t>();
    auto const where = in.take<std::uint16_t>();
    scribbles.push_back(
        {.delay = delay, .at = word(area, part, where), .what = in.take<std::uint64_t>()});
  }
  for (scribble const& s : scribbles) {
    if (s.delay == 0) *s.at = s.what;
  }
  hostile.plan(std::move(scribbles));
  {
    recorder::recording recording(
        {.children = true,
         .attached =
             recorder::recording_options::attached_process{
                 .process = getpid(), .memory = made.descriptor, .age = 1},
         .command = "command",
         .context = {},
         .file_of = {},
         .file_is_there = false,
         .sink_of = [](pid_t, bool) { return std::make_unique<recorder::live_blocks>(1, true); },
         .after_look =
             [](std::vector<pid_t> const& living) {
               // Whatever ids the memory holds: those that may be signalled are ours.
               for (pid_t const process : living) require(process == getpid());
               return std::chrono::milliseconds(0);
             }});
    recording.begin(getpid());
    (void)recording.refused();
    (void)recording.without_room();
    (void)recording.living();
    if ((choices & 32) != 0) recording.first_process_ended("ended", 0);
    recorder::recording_result const result = recording.finish();
    require(result.others <= relay::control::most_noted);
    require(result.processes.size() <= relay::most_channels * 64);
  }
  hostile.end();
  munmap(made.area, sizeof(relay::area));
  return 0;
}
