// SPDX-License-Identifier: MIT
// Only in the preload library: notes in a trace when the process begins to end. `main` returns into
// the C library, and `exit` is called inside of it, too (by `err`, or when the last thread has
// ended). So `main` is called by a function of ours, `exit` and `quick_exit` are replaced, and a
// function registered just before `main` notices what is left.
#include <cstdlib>
#include <dlfcn.h>

#include "callstack/callstack.hpp"
#include "tracer/tracer.hpp"

#define MEMPROF_EXPORT __attribute__((visibility("default")))
/// A section of its own, whose bounds the linker names.
#define MEMPROF_CALLER_OF_MAIN __attribute__((section("memprof_caller_of_main"), noinline))

extern "C" {
extern char const __start_memprof_caller_of_main[] __attribute__((visibility("hidden")));
extern char const __stop_memprof_caller_of_main[] __attribute__((visibility("hidden")));
}

namespace {

using main_function = int (*)(int, char**, char**);
using start_function = int (*)(main_function, int, char**, void (*)(), void (*)(), void (*)(),
                               void*);
using exit_function = void (*)(int);

main_function program_main = nullptr;

MEMPROF_CALLER_OF_MAIN int call_main(int count, char** arguments, char** environment) {
  memprof::tracer::mark_exit_by_handler();
  const int status = program_main(count, arguments, environment);
  memprof::tracer::mark_exit();
  return status;
}

template <class Function>
Function next(char const* name) noexcept {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

[[noreturn]] void leave_by(char const* name, int status) {
  memprof::tracer::mark_exit();
  if (auto const leave = next<exit_function>(name)) leave(status);
  std::abort();  // every C library has it
}

}  // namespace

extern "C" {

MEMPROF_EXPORT int __libc_start_main(main_function main, int count, char** arguments,
                                     void (*initialise)(), void (*finish)(),
                                     void (*finish_loader)(), void* stack_end) {
  program_main = main;
  memprof::callstack::leave_out_caller_of_main(__start_memprof_caller_of_main,
                                               __stop_memprof_caller_of_main);
  return next<start_function>("__libc_start_main")(&call_main, count, arguments, initialise, finish,
                                                   finish_loader, stack_end);
}

// Not noexcept, as they are declared: a handler may call pthread_exit, which unwinds.
[[noreturn]] MEMPROF_EXPORT void memprof_exit(int status) __asm__("exit");
[[noreturn]] MEMPROF_EXPORT void memprof_quick_exit(int status) __asm__("quick_exit");

void memprof_exit(int status) { leave_by("exit", status); }
void memprof_quick_exit(int status) { leave_by("quick_exit", status); }
}
