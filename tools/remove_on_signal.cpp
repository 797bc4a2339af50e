// SPDX-License-Identifier: MIT
#include "tools/remove_on_signal.hpp"

#include <atomic>
#include <cstring>
#include <initializer_list>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

namespace memprof::tools {
namespace {

char file[PATH_MAX];
/// Publishes `file` to the handler.
std::atomic<bool> is_set{false};

extern "C" void remove_and_die(int signal) {
  if (is_set.load(std::memory_order_acquire)) ::unlink(file);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

void remove_on_signal(char const* path) {
  is_set.store(false, std::memory_order_release);
  if (path == nullptr || std::strlen(path) >= sizeof file) return;
  std::strcpy(file, path);
  is_set.store(true, std::memory_order_release);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;  // nohup
    action = {};
    action.sa_handler = &remove_and_die;
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace memprof::tools
