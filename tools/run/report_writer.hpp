// SPDX-License-Identifier: MIT
/// \file
/// Writes reports, one after another, on a thread of its own: names may take seconds, and the
/// recorder must not wait.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "tools/run/limit_report.hpp"

namespace memprof::tools {

/// Each report goes to standard error and to FILES.N.txt, its profile to FILES.N.pb.gz.
class report_writer {
 public:
  report_writer() = default;
  /// Writes what is left.
  ~report_writer();
  report_writer(report_writer const&) = delete;
  report_writer& operator=(report_writer const&) = delete;

  /// Call it when signals are as the thread is to have them. `files`: how its files begin.
  void begin(std::string files);

  void write(limit_report report);
  /// A line on standard error, behind the reports that were asked for before.
  void say(std::string line);
  /// Until all of that was written.
  void wait();

 private:
  struct job {
    limit_report report;
    std::string line;  ///< if it is not empty: instead
  };
  void run();
  void write_now(limit_report const& report, std::shared_ptr<symbolize::resolver> const& names);
  void add(job what);

  std::string files_;
  int number_ = 0;
  /// Guards what follows.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<job> jobs_;
  bool busy_ = false;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace memprof::tools
