// SPDX-License-Identifier: MIT
/// \file
/// A program under `memprof run`, as what answers to requests are made from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "answers/answers.hpp"
#include "symbolize/symbolize.hpp"
#include "tools/run/limit_watch.hpp"
#include "tools/run/look_jobs.hpp"

namespace memprof::tools {

/// Asks the recorder's thread, and never the program. All processes that run now are one. After the
/// end of the recording its answers are that the program has ended.
class watched_program final : public answers::program_source {
 public:
  /// \param watch keeps sums; outlives the end of `watch.jobs()`.
  /// \param names of its own: used for one request at a time.
  watched_program(limit_watch& watch, std::vector<std::string> const& command,
                  std::shared_ptr<symbolize::resolver> names);

  [[nodiscard]] std::unique_ptr<answers::heap_profile> take_profile() override;
  void wait(std::chrono::seconds duration) override { jobs_->wait_for_end(duration); }
  void add_metrics(serve::metrics& page) override;
  [[nodiscard]] std::string command_line() override { return command_line_; }
  /// Addresses are of one process.
  [[nodiscard]] std::optional<std::vector<std::string>> functions_at(
      std::span<std::uintptr_t const>) override {
    return std::nullopt;
  }

 private:
  limit_watch& watch_;
  std::shared_ptr<look_jobs> jobs_;
  std::string command_line_;
  std::shared_ptr<symbolize::resolver> names_;
};

}  // namespace memprof::tools
