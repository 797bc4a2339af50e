// SPDX-License-Identifier: MIT
// MEMPROF_GUARD=1: accesses beside a sampled block and after its free are reported, with what
// happened, the stacks of allocation and free, and the end that the program would have had. The
// program starts itself again for each case, with every block sampled.
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "memprof/memprof.hpp"

#include "check.hpp"
#include "ended_child.hpp"

namespace {

/// Hides what the compiler knows of a pointer.
template <class T>
T* hidden(T* pointer) {
  __asm__ volatile("" : "+r"(pointer));
  return pointer;
}

// Their names are in the reports. Not the last thing in them: that would be a jump.
[[gnu::noinline]] char* allocated_here(std::size_t size) {
  char* const block = hidden(static_cast<char*>(std::malloc(size)));
  return hidden(block);
}
[[gnu::noinline]] void freed_here(char* block) {
  std::free(hidden(block));
  hidden(block);
}
[[gnu::noinline]] void written_here(char* at) {
  *static_cast<char volatile*>(hidden(at)) = 'x';
  hidden(at);
}
[[gnu::noinline]] char read_here(char* at) {
  const char c = *static_cast<char volatile*>(hidden(at));
  hidden(at);
  return c;
}

sigjmp_buf recovery;
struct sigaction replaced {};
volatile std::sig_atomic_t recovered = 0;
void* expected_fault = nullptr;

void recover(int, siginfo_t* info, void*) {
  if (info->si_addr != expected_fault) _exit(7);
  recovered = recovered + 1;
  siglongjmp(recovery, 1);
}

void install_recovery() {
  struct sigaction action {};
  action.sa_sigaction = recover;
  action.sa_flags = SA_SIGINFO;
  CHECK(sigaction(SIGSEGV, &action, nullptr) == 0);
}

void fault_at(char* address) {
  expected_fault = address;
  if (sigsetjmp(recovery, 1) == 0) written_here(address);
}

char* inaccessible_page() {
  void* const page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  return static_cast<char*>(page);
}

void sample_everything() {
  memprof::set_process_sampling_rate(memprof::sampling_rate{1.0});
  freed_here(allocated_here(100));
}

int run(std::string_view what) {
  if (what == "overflow write") written_here(allocated_here(64) + 64);
  if (what == "overflow read") return read_here(allocated_here(5000) + 5008 + 99);
  if (what == "underflow") written_here(allocated_here(4096) - 1);
  if (what == "underflow of a large block") written_here(allocated_here(1 << 20) - 300);
  if (what == "use after free, read" || what == "use after free, write") {
    char* const block = allocated_here(200);
    std::thread{[&] { freed_here(block); }}.join();
    if (what == "use after free, read") return read_here(block + 8);
    written_here(block + 199);
  }
  if (what == "double free") {
    char* const block = allocated_here(77);
    freed_here(block);
    freed_here(block);
  }
  if (what == "realloc of a freed block") {
    char* const block = allocated_here(77);
    freed_here(block);
    CHECK(std::realloc(hidden(block), 10) == nullptr);
  }
  if (what == "invalid free") freed_here(allocated_here(100) + 16);
  if (what == "one byte past") {
    char* const block = allocated_here(100);
    written_here(block + 100);
    freed_here(block);
  }
  if (what == "one byte before") {
    char* const block = allocated_here(100);
    written_here(block - 1);
    delete hidden(new int);
    ::operator delete(hidden(block));
  }
  if (what == "past an empty block") {
    char* const block = allocated_here(0);
    CHECK(malloc_usable_size(block) != 0);
    written_here(block);
    freed_here(block);
  }
  if (what == "deleted as one") delete hidden(reinterpret_cast<int*>(hidden(new int[4])));
  if (what == "deleted as many") ::operator delete[](hidden(::operator new(48)));
  if (what == "deleted with another size") ::operator delete(hidden(::operator new(48)), 40);
  if (what == "near no block") {
    allocated_here(64);
    std::free(hidden(allocated_here(64) + 20 * 8192));
  }
  if (what == "behind a block") std::free(hidden(allocated_here(64) + 160));
  if (what == "right forms") {
    const std::nothrow_t n{};
    const auto a = std::align_val_t{64};
    for (std::size_t size : {std::size_t{0}, std::size_t{48}, std::size_t{5000}}) {
      ::operator delete(hidden(::operator new(size)));
      ::operator delete(hidden(::operator new(size)), size);
      ::operator delete(hidden(::operator new(size, n)), n);
      ::operator delete[](hidden(::operator new[](size)));
      ::operator delete[](hidden(::operator new[](size)), size);
      ::operator delete[](hidden(::operator new[](size, n)), n);
      ::operator delete(hidden(::operator new(size, a)), a);
      ::operator delete(hidden(::operator new(size, a, n)), size, a);
      ::operator delete[](hidden(::operator new[](size, a)), a);
      ::operator delete[](hidden(::operator new[](size, a, n)), size, a);
    }
    struct with_cookie {
      int value = 0;
      ~with_cookie() { value = 1; }
    };
    delete[] hidden(new with_cookie[10]);
    std::free(std::realloc(hidden(allocated_here(10)), 5000));
  }
  if (what == "in a forked child") {
    char* const block = allocated_here(32);
    const pid_t child = fork();
    if (child == 0) written_here(block + 32);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    written_here(block + 31);
  }
  if (what == "another fault") written_here(inaccessible_page());
  if (what == "sent by raise") {
    CHECK(raise(SIGSEGV) == 0);
    return 1;
  }
  if (what == "sent by kill") {
    CHECK(kill(getpid(), SIGSEGV) == 0);
    return 1;
  }
  if (what == "handler before") {  // ours is installed at the first sample, and calls it
    install_recovery();
    sample_everything();
    fault_at(inaccessible_page());
    CHECK(recovered == 1);
    fault_at(allocated_here(48) + 48);  // reported, and recovered from all the same
    CHECK(recovered == 2);
  }
  if (what == "handler after") {
    sample_everything();
    install_recovery();
    fault_at(inaccessible_page());
    fault_at(allocated_here(48) + 48);
    CHECK(recovered == 2);
  }
  if (what == "handler that calls the one before") {
    freed_here(allocated_here(100));
    CHECK(sigaction(SIGSEGV, nullptr, &replaced) == 0);
    struct sigaction action {};
    action.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
      replaced.sa_sigaction(signal, info, context);
    };
    action.sa_flags = SA_SIGINFO;
    CHECK(sigaction(SIGSEGV, &action, nullptr) == 0);
    written_here(allocated_here(64) + 64);
  }
  if (what == "handler once") {
    struct sigaction action {};
    action.sa_sigaction = recover;
    action.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);
    CHECK(sigaction(SIGSEGV, &action, nullptr) == 0);
    sample_everything();
    fault_at(inaccessible_page());
    CHECK(recovered == 1);
    fault_at(inaccessible_page());
  }
  if (what == "clean") {
    // More blocks than are guarded at once, all sizes; what is in them stays.
    const bool guarding = std::strcmp(std::getenv("MEMPROF_GUARD"), "1") == 0;
    CHECK((malloc_usable_size(allocated_here(99)) == 99) == guarding);
    std::vector<std::string> blocks;
    for (std::size_t i = 0; i < 20'000; ++i) {
      blocks.emplace_back(i % 300 + 16, static_cast<char>('a' + i % 20));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      CHECK(blocks[i].size() == i % 300 + 16 &&
            blocks[i].back() == static_cast<char>('a' + i % 20));
    }
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([] {
        for (std::size_t i = 1; i < 3000; ++i) {
          char* block = allocated_here(i * 7 % 9000);
          std::memset(block, 'y', i * 7 % 9000);
          block = static_cast<char*>(std::realloc(block, i * 13 % 9000 + 1));
          CHECK(i * 7 % 9000 == 0 || block[0] == 'y');
          freed_here(block);
        }
      });
    }
    for (auto& thread : threads) thread.join();
    void* aligned = nullptr;
    CHECK(posix_memalign(&aligned, 1024, 100) == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(aligned) % 1024 == 0);
    std::free(aligned);
  }
  return 0;
}

ended_child start(char const* what, char const* guard, char const* rate) {
  return child_doing([&] {
    setenv("MEMPROF_GUARD", guard, 1);
    setenv("MEMPROF_RATE", rate, 1);
    alarm(50);
    execl("/proc/self/exe", "guarded", what, nullptr);
    _exit(127);
  });
}

/// Whether the texts come in this order, each after the one before.
bool has_in_order(std::string_view text, std::vector<std::string_view> const& parts) {
  for (std::string_view part : parts) {
    const std::size_t at = text.find(part);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + part.size());
  }
  return true;
}

void check_death(char const* what, int signal, std::vector<std::string_view> const& parts,
                 char const* rate = "1") {
  const ended_child seen = start(what, "1", rate);
  const bool right = seen.ended_by(signal) && has_in_order(seen.said, parts) &&
                     (!parts.empty() || seen.said.empty());
  if (!right) std::fprintf(stderr, "%s: status %x\n%s", what, seen.status, seen.said.c_str());
  CHECK(right);
}

void check_end(char const* what, char const* guard, char const* rate, std::string_view expected) {
  const ended_child seen = start(what, guard, rate);
  const bool right =
      WIFEXITED(seen.status) && WEXITSTATUS(seen.status) == 0 &&
      (expected.empty() ? seen.said.empty() : seen.said.find(expected) != std::string::npos);
  if (!right) std::fprintf(stderr, "%s: status %x\n%s", what, seen.status, seen.said.c_str());
  CHECK(right);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return run(argv[1]);
  unsetenv("MEMPROF_CALLSTACK");
  sample_everything();
  if (memprof::counters().aligned_blocks != 0) return 0;  // no such addresses: as under QEMU
  check_death("overflow write", SIGSEGV,
              {"memprof: heap overflow: ", "1 byte past the end of a block of 64 bytes, 0x",
               "#0 _ZN12_GLOBAL__N_112written_hereEPc+0x", "allocated by thread",
               "#0 _ZN12_GLOBAL__N_114allocated_hereEm+0x"});
  check_death("handler that calls the one before", SIGSEGV,
              {"1 byte past the end of a block of 64 bytes", "here, in thread",
               "#0 _ZN12_GLOBAL__N_112written_hereEPc+0x", "allocated_here"});
  check_death("overflow read", SIGSEGV,
              {"108 bytes past the end of a block of 5000 bytes", "read_here", "allocated_here"});
  check_death("underflow", SIGSEGV,
              {"heap underflow: ", "1 byte before a block of 4096 bytes", "written_here",
               "allocated_here"});
  check_death("underflow of a large block", SIGSEGV,
              {"300 bytes before a block of 1048576 bytes", "allocated_here"});
  check_death("use after free, read", SIGSEGV,
              {"use after free: ", "8 bytes into a freed block of 200 bytes", "read_here",
               "allocated by thread", "allocated_here", "freed by thread", "freed_here"});
  check_death("use after free, write", SIGSEGV,
              {"use after free: ", "199 bytes into a freed block of 200 bytes", "written_here",
               "allocated_here", "freed_here"});
  check_death("double free", SIGABRT,
              {"double free: free() of a freed block of 77 bytes", "freed_here", "allocated_here",
               "freed by thread", "freed_here"});
  check_death(
      "realloc of a freed block", SIGABRT,
      {"double free: realloc() of a freed block of 77 bytes", "allocated_here", "freed_here"});
  check_death("invalid free", SIGABRT,
              {"invalid free: free() of an address 16 bytes into a block of 100 bytes",
               "freed_here", "allocated_here"});
  check_death("one byte past", SIGABRT,
              {"heap overflow: written before this free(), 1 byte past the end of a block of 100",
               "freed_here", "allocated_here"});
  check_death(
      "one byte before", SIGABRT,
      {"heap underflow: written before this operator delete(), 1 byte before a block of 100",
       "allocated_here"});
  check_death("past an empty block", SIGABRT,
              {"heap overflow: written before this free(), 1 byte past the end of a block of 0",
               "freed_here", "allocated_here"});
  check_death("deleted as one", SIGABRT,
              {"mismatched free: operator delete() of what operator new[]() allocated, a block of "
               "16 bytes, 0x",
               "allocated by thread"});
  check_death("deleted as many", SIGABRT,
              {"mismatched free: operator delete[]() of what operator new() allocated, a block of "
               "48 bytes"});
  check_death("deleted with another size", SIGABRT,
              {"wrong size: operator delete() says 40 bytes of a block of 48 bytes"});
  check_death("near no block", SIGABRT,
              {"invalid free: free() of an address where no block was, 0x", "here, in thread"});
  check_death("behind a block", SIGABRT,
              {"invalid free: free() of an address 97 bytes past the end of a block of 64 bytes",
               "allocated_here"});
  check_end("right forms", "1", "1", "");
  check_end("in a forked child", "1", "1", "1 byte past the end of a block of 32 bytes");
  check_death("another fault", SIGSEGV, {});
  check_death("sent by raise", SIGSEGV, {});
  check_death("sent by kill", SIGSEGV, {});
  check_death("handler once", SIGSEGV, {}, "0");
  check_end("handler before", "1", "0", "1 byte past the end of a block of 48 bytes");
  check_end("handler after", "1", "1", "");
  check_end("clean", "1", "1", "");
  check_end("clean", "0", "0", "");
#if defined(__x86_64__)
  CHECK(start("use after free, read", "1", "1").said.find("free: read 8") != std::string::npos);
  CHECK(start("overflow write", "1", "1").said.find("overflow: write 1") != std::string::npos);
#endif
  return 0;
}
