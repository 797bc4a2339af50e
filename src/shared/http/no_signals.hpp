// SPDX-License-Identifier: MIT
/// \file
/// Threads that leave signals to others.
#pragma once

#include <csignal>
#include <pthread.h>

namespace memprof::http {

/// Threads that are started while this lives take no signals.
class no_signals {
 public:
  no_signals() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~no_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  no_signals(no_signals const&) = delete;
  no_signals& operator=(no_signals const&) = delete;

 private:
  sigset_t before_;
};

}  // namespace memprof::http
