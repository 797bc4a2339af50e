// SPDX-License-Identifier: MIT
// A signal handler interrupts our code in malloc or free, and leaves it by siglongjmp. The thread
// is sampled again, and limits and profiles work.
//
// The processor's trap flag brings a signal after each instruction, so that the handler jumps out
// of the very instruction that is asked for: the program goes through them all, in steps.
#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <optional>
#include <ucontext.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "check.hpp"

using namespace memprof::literals;

#if defined(__x86_64__)

namespace {

struct code_range {
  std::uintptr_t begin, end;
};
code_range ours[8];  // of this program, and of memprof's libraries if it is linked with those
int ranges = 0;

int find_code(dl_phdr_info* module, std::size_t, void*) {
  if (module->dlpi_name[0] != '\0' && std::strstr(module->dlpi_name, "libmemprof") == nullptr) {
    return 0;
  }
  for (int i = 0; i < module->dlpi_phnum && ranges < 8; ++i) {
    auto const& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
    ours[ranges++] = {begin, begin + segment.p_memsz};
  }
  return 0;
}

sigjmp_buf target;
volatile long steps = 0;
volatile long jump_at = 0;

/// Not out of the C library's malloc, which would not survive it.
void after_an_instruction(int, siginfo_t*, void* context) {
  auto const pc = static_cast<std::uintptr_t>(
      static_cast<ucontext_t const*>(context)->uc_mcontext.gregs[REG_RIP]);
  const bool in_ours = std::any_of(
      ours, ours + ranges, [pc](code_range const& r) { return pc >= r.begin && pc < r.end; });
  if (!in_ours) return;
  steps = steps + 1;
  if (steps == jump_at) siglongjmp(target, 1);
}

// (The red zone is left alone.)
inline void begin_steps() {
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
          : "memory", "cc");
}
inline void end_steps() {
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
          : "memory", "cc");
}

[[gnu::noinline]] void* block_of(std::size_t size) {
  void* block = std::malloc(size);
  __asm__ volatile("" : "+r"(block) : : "memory");
  return block;
}

/// A sampled malloc and its free, step by step. False if the handler jumped.
bool pair_in_steps(long until) {
  steps = 0;
  jump_at = until;
  if (sigsetjmp(target, 1) != 0) return false;
  begin_steps();
  std::free(block_of(64));
  end_steps();
  return true;
}

std::atomic<long> seen{0};
std::atomic<long> gone{0};

auto counting_tracker() {
  const auto allocated = [](memprof::allocation const&) {
    ++seen;
    return std::optional{1};
  };
  return memprof::tracker<int, int>{.alloc_minor = allocated,
                                    .alloc_major = allocated,
                                    .promote = [](int n) { return std::optional{n}; },
                                    .dealloc_minor = [](int) { ++gone; },
                                    .dealloc_major = [](int) { ++gone; }};
}

/// At rate 1 every block is seen, after what a thread may count before it notices the jump.
void is_sampled_again() {
  std::free(block_of(std::size_t{1} << 20));
  const long before = seen;
  const long gone_before = gone;
  std::free(block_of(64));
  CHECK(seen == before + 1);
  CHECK(gone == gone_before + 1);
}

template <class After>
void jump_out_of_everything(After after) {
  constexpr long jumps = 120;
  CHECK(pair_in_steps(-1));  // what is done only once
  CHECK(pair_in_steps(-1));
  const long all = steps;
  CHECK(all > 300);  // sampled
  long jumped = 0;
  for (long at = 1; at < all; at += all / jumps + 1, ++jumped) {
    if (pair_in_steps(at)) break;
    after();
  }
  CHECK(jumped > jumps / 2);
  std::printf("jumped out of %ld places among %ld instructions\n", jumped, all);
}

void limits_work() {
  std::vector<void*> kept(64);
  const auto fill = [&] {
    for (void*& block : kept) block = ::operator new(1 << 20);
  };
  const auto clear = [&] {
    for (void*& block : kept) ::operator delete(std::exchange(block, nullptr));
  };
  CHECK(!memprof::limit_memory(8_MiB, fill));
  clear();
  CHECK(memprof::limit_memory(1_GiB, fill));
  clear();
}

}  // namespace

int main() {
  dl_iterate_phdr(&find_code, nullptr);
  CHECK(ranges > 0);
  struct sigaction action {};
  action.sa_sigaction = &after_an_instruction;
  action.sa_flags = SA_SIGINFO;
  CHECK(sigaction(SIGTRAP, &action, nullptr) == 0);
  memprof::set_process_sampling_rate(memprof::sampling_rate{1.0});

  // Nobody is told of the blocks.
  jump_out_of_everything([] { std::free(block_of(std::size_t{1} << 20)); });
  limits_work();
  {
    auto profile = memprof::start(memprof::sampling_rate{1.0}, counting_tracker());
    is_sampled_again();
    jump_out_of_everything(&is_sampled_again);
    limits_work();
    profile.stop();
    profile.discard();  // waits for threads that are in the tracker's functions
  }
  auto again = memprof::start(memprof::sampling_rate{1.0}, counting_tracker());
  is_sampled_again();
}

#else
int main() { std::puts("only where the processor brings a signal after each instruction"); }
#endif
