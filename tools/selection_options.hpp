// SPDX-License-Identifier: MIT
/// \file
/// The selection language on the command line: which sampled blocks a report is about.
#pragma once

#include <memory>

#include "analysis/analysis.hpp"

namespace CLI {
class App;
}

namespace memprof::tools {

/// Options --allocated-between ... --hide, as given.
class selection_options {
 public:
  selection_options();
  selection_options(selection_options&&) noexcept;
  selection_options& operator=(selection_options&&) noexcept;
  ~selection_options();

  void add(CLI::App& app);
  /// \throws usage_error for an invalid option.
  [[nodiscard]] analysis::selection selection() const;

 private:
  struct given;
  std::unique_ptr<given> given_;
};

}  // namespace memprof::tools
