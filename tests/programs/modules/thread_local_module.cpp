// SPDX-License-Identifier: MIT
// A module whose thread-local data the loader allocates when a thread first touches it.

extern "C" __attribute__((visibility("default"))) int touch_thread_local();

namespace {
thread_local char data[100'000] = {1};
}

int touch_thread_local() { return ++data[0]; }
