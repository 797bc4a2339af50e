// SPDX-License-Identifier: MIT
#include "endpoints/process_source.hpp"

#include <thread>
#include <utility>

#include "endpoints/heap_report.hpp"
#include "endpoints/live_profile.hpp"
#include "endpoints/page_routes.hpp"
#include "endpoints/process_facts.hpp"
#include "endpoints/process_metrics.hpp"
#include "endpoints/publications.hpp"

namespace memprof::endpoints {
namespace {

class process_profile final : public answers::heap_profile {
 public:
  process_profile(profile_snapshot taken, code_names& names)
      : taken_(std::move(taken)), names_(names) {}

  [[nodiscard]] std::string pprof(char const* default_type) const override {
    return pprof_of(taken_, default_type, names_);
  }
  [[nodiscard]] std::string text() const override { return text_of(taken_, names_); }
  [[nodiscard]] std::unique_ptr<heap_profile> change_since(
      heap_profile const& before) const override {
    return made(difference(taken_of(before), taken_));
  }
  [[nodiscard]] std::unique_ptr<heap_profile> allocated_since(
      heap_profile const& before) const override {
    return made(endpoints::allocated_since(taken_of(before), taken_));
  }

 private:
  static profile_snapshot const& taken_of(heap_profile const& p) {
    return static_cast<process_profile const&>(p).taken_;
  }
  [[nodiscard]] std::unique_ptr<heap_profile> made(profile_snapshot s) const {
    return std::make_unique<process_profile>(std::move(s), names_);
  }

  profile_snapshot taken_;
  code_names& names_;
};

}  // namespace

std::unique_ptr<answers::heap_profile> process_source::take_profile() {
  begin_collecting(std::nullopt);
  return std::make_unique<process_profile>(take_snapshot(), names_);
}

void process_source::wait(std::chrono::seconds duration) { std::this_thread::sleep_for(duration); }

void process_source::add_metrics(serve::metrics& page) {
  add_process(page);
  add_budgets(page);
  add_published_families(page);
}

std::string process_source::command_line() {
  std::string text = raw_command_line(128 * 1024);
  if (text.ends_with('\0')) text.pop_back();
  return text;
}

serve::response process_source::page(std::string_view name) { return page_response(name); }

std::optional<std::vector<std::string>> process_source::functions_at(
    std::span<std::uintptr_t const> addresses) {
  std::vector<std::string> functions;
  modules::code_places found = names_.find({addresses.begin(), addresses.end()});
  for (modules::code_place& p : found.places) functions.push_back(std::move(p.function));
  return functions;
}

}  // namespace memprof::endpoints
