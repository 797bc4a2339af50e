// SPDX-License-Identifier: MIT
/// \file
/// This process, as what answers are made from.
#pragma once

#include "answers/answers.hpp"
#include "endpoints/code_names.hpp"

namespace memprof::endpoints {

/// Taking a profile begins to collect stacks.
class process_source final : public answers::program_source {
 public:
  [[nodiscard]] std::unique_ptr<answers::heap_profile> take_profile() override;
  void wait(std::chrono::seconds duration) override;
  void add_metrics(serve::metrics& page) override;
  [[nodiscard]] std::string command_line() override;
  [[nodiscard]] bool has_page() const noexcept override { return true; }
  [[nodiscard]] serve::response page(std::string_view name) override;
  [[nodiscard]] std::optional<std::vector<std::string>> functions_at(
      std::span<std::uintptr_t const> addresses) override;

 private:
  code_names names_;
};

}  // namespace memprof::endpoints
