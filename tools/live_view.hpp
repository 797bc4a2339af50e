// SPDX-License-Identifier: MIT
/// \file
/// A recording on a port while it is written, and after that: `record --serve`.
#pragma once

#include <memory>
#include <string>
#include <sys/types.h>

#include "tools/recorded_files.hpp"
#include "tools/serving.hpp"

namespace memprof::tools {

struct live_view_options {
  serving_options serving;
  bool quiet = false;
  bool no_symbols = false;
};

class live_view {
 public:
  /// \param files outlives this.
  live_view(recorded_files const& files, live_view_options options);

  /// The program has begun. A failure is reported on standard error, and nothing is served.
  void begin(pid_t process) noexcept;
  /// The recording has become this file.
  void follow(std::string const& file);
  /// Waits until the user ends it; returns at once if nothing is served.
  void wait();

 private:
  recorded_files const& files_;
  live_view_options options_;
  std::shared_ptr<page_server::served_trace> trace_;
  std::unique_ptr<page_server::live_server> server_;
};

}  // namespace memprof::tools
