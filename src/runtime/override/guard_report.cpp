// SPDX-License-Identifier: MIT
#include "override/guard_report.hpp"

#include <array>
#include <atomic>
#include <unistd.h>

#include "callstack/callstack.hpp"
#include "modules/modules.hpp"
#include "override/block_form.hpp"
#include "override/own_code.hpp"
#include "tracer/tracer.hpp"

namespace memprof::override {
namespace {

using text = base::bounded_text;

// The thread that writes a report, or 0.
constinit std::atomic<std::uint32_t> reporter{0};

/// Other threads wait, a second at most: a report whose thread is not there any more (in a forked
/// child) must not stop them for ever.
class reporting {
 public:
  reporting() noexcept {
    const auto me = static_cast<std::uint32_t>(gettid());
    for (int i = 0; i < 1000; ++i) {
      std::uint32_t none = 0;
      if (reporter.compare_exchange_strong(none, me) || none == me) return;
      base::sleep_uncancellable(1000);
    }
  }
  ~reporting() { reporter.store(0); }
  reporting(reporting const&) = delete;
  reporting& operator=(reporting const&) = delete;
};

text& operator<<(text& out, std::uint64_t number) noexcept { return out.number(number); }

/// "1 byte", "12 bytes"
text& bytes(text& out, std::uint64_t n) noexcept {
  return out << n << (n == 1 ? " byte" : " bytes");
}

/// Where an address is, as seen from a block.
void write_place(text& out, guard_fault const& f) noexcept {
  const std::uintptr_t block = f.block.block();
  if (f.address < block) {
    bytes(out, block - f.address) << " before";
  } else if (f.address < f.block.block_end()) {
    bytes(out, f.address - block) << " into";
  } else {
    bytes(out, f.address - f.block.block_end() + 1) << " past the end of";
  }
}

void write_headline(text& out, guard_fault const& f) noexcept {
  switch (f.kind) {
    case guard_fault::freed_twice:
      out << "double free: " << f.caller << "() of";
      break;
    case guard_fault::no_block:
      out << "invalid free: " << f.caller << "() of an address ";
      if (f.block.record == nullptr) {
        (out << "where no block was, ").hexadecimal(f.address);
        return;
      }
      write_place(out, f);
      break;
    case guard_fault::other_form:
      out << "mismatched free: " << f.caller << "() of what operator new"
          << (f.block.record->form == static_cast<std::uint8_t>(block_form::array_new) ? "[]" : "")
          << "() allocated,";
      break;
    case guard_fault::other_size:
      bytes(out << "wrong size: " << f.caller << "() says ", f.size) << " of";
      break;
    case guard_fault::overwritten:
      out << (f.address < f.block.block() ? "heap underflow" : "heap overflow")
          << ": written before this " << f.caller << "(), ";
      write_place(out, f);
      break;
    case guard_fault::access:
      out << (f.block.record->freed.thread != 0 ? "use after free"
              : f.address < f.block.block()     ? "heap underflow"
                                                : "heap overflow")
          << ": " << f.accessed << " ";
      write_place(out, f);
      break;
  }
  bytes(out << " a " << (f.block.record->freed.thread != 0 ? "freed " : "") << "block of ",
        f.block.record->size);
  (out << ", ").hexadecimal(f.block.block());
}

void write_stack(std::span<std::uintptr_t const> frames) noexcept {
  std::size_t number = 0;
  for (const std::uintptr_t frame : frames) {
    std::array<char, 400> place;
    modules::describe_raw(frame - 1, place);
    std::array<char, 32> head;
    text{head} << "    #" << number++ << " ";
    base::raw_message({head.data(), place.data()});
  }
}

void write_stack_of(char const* what, std::uint32_t thread, std::uint32_t stack) noexcept {
  std::array<char, 64> head;
  text{head} << what << " by thread " << std::uint64_t{thread} << ":";
  base::raw_message(head.data());
  write_stack(callstack::frames_of(stack));
}

}  // namespace

void report_guard_fault(guard_fault const& fault) noexcept {
  const reporting alone;
  std::array<char, 256> line;
  text headline{line};
  write_headline(headline, fault);
  base::raw_message(line.data());
  tracer::note_fault(line.data());
  std::array<char, 64> here;
  text{here} << "  here, in thread " << static_cast<std::uint64_t>(gettid()) << ":";
  base::raw_message(here.data());
  if (fault.kind == guard_fault::access) {
    write_stack(fault.stack);
  } else {
    std::array<std::uintptr_t, most_reported_frames> frames;
    const std::size_t n = callstack::capture(frames, fault.frame);
    write_stack({frames.data(), n});
  }
  if (fault.block.record == nullptr) return;
  base::guarded_record const& block = *fault.block.record;
  write_stack_of("  allocated", block.allocated.thread, block.allocated.stack);
  if (block.freed.thread != 0) write_stack_of("  freed", block.freed.thread, block.freed.stack);
}

}  // namespace memprof::override
