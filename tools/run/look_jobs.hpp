// SPDX-License-Identifier: MIT
/// \file
/// What other threads have done by the recorder's, which alone may read what it keeps.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <list>
#include <mutex>

namespace memprof::tools {

/// \note Threads: `work`: the recorder's. The others: any.
class look_jobs {
 public:
  /// Has it done at the next look, and waits for that.
  ///
  /// \throws std::runtime_error if there is no look within 5 s, or none any more; what the job
  ///   throws.
  void run(std::function<void()> job);
  /// True: there are no looks any more.
  bool wait_for_end(std::chrono::seconds duration);

  /// Does what there is to do.
  void work() noexcept;
  void end() noexcept;

 private:
  struct entry {
    std::function<void()> job;
    bool done = false;
    std::exception_ptr error = nullptr;
  };

  std::mutex mutex_;  ///< also held while jobs are done, so that none is taken back meanwhile
  std::condition_variable changed_;
  std::list<entry*> waiting_;
  bool ended_ = false;
};

}  // namespace memprof::tools
