// SPDX-License-Identifier: MIT
// usage: fiber_process PLUG-IN
#include <dlfcn.h>

#include "memprof/memprof.hpp"

int main(int, char** argv) {
  void* const module = dlopen(argv[1], RTLD_NOW);
  if (module == nullptr || !memprof::is_active()) return 1;
  reinterpret_cast<void (*)()>(dlsym(module, "run_a_task"))();
}
