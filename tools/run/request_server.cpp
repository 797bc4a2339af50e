// SPDX-License-Identifier: MIT
#include "tools/run/request_server.hpp"

#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>

#include "answers/answers.hpp"
#include "http/http.hpp"
#include "tools/names.hpp"
#include "tools/run/watched_program.hpp"
#include "tools/usage_error.hpp"

namespace memprof::tools {
namespace {

/// The first line of a file.
std::string token_in(std::string const& file) {
  if (file.empty()) return {};
  std::ifstream in(file);
  std::string token;
  if (!std::getline(in, token) || token.empty()) {
    throw usage_error(fmt::format("--token-file: {} has no token in its first line", file));
  }
  return token;
}

/// Lives as long as a connection needs it.
struct served_program {
  watched_program source;
  answers::routes all{source};
};

}  // namespace

struct request_server::state {
  http::connection_rules rules;
  std::optional<http::listening_socket> listening;
  std::optional<http::server> running;
};

request_server::request_server(std::string const& address, std::string const& token_file)
    : state_(std::make_unique<state>()) {
  state_->rules.token = token_in(token_file);
  try {
    state_->listening.emplace(http::listen_at(address, !state_->rules.token.empty()));
  } catch (std::invalid_argument const& e) {
    throw usage_error(fmt::format("--listen: {}", e.what()));
  } catch (std::runtime_error const& e) {
    throw std::runtime_error(fmt::format("--listen: {}", e.what()));
  }
}

request_server::~request_server() {
  if (state_->running) state_->running->end(std::chrono::seconds(2));
}

std::string request_server::begin(limit_watch& watch, std::vector<std::string> const& program) {
  const std::shared_ptr<served_program> served(
      new served_program{.source = watched_program(watch, program, make_resolver({}))});
  state_->rules.answer = answers::served([served](answers::serve::request const& r) {
    try {
      return served->all.to(r);
    } catch (std::runtime_error const& e) {  // of /metrics
      return answers::text_response(503, e.what());
    }
  });
  state_->running.emplace(*std::move(state_->listening), std::move(state_->rules));
  std::string const& where = state_->running->address();
  return where.starts_with("unix:") ? where : "http://" + where;
}

}  // namespace memprof::tools
