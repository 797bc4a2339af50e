// SPDX-License-Identifier: MIT
#include "workers.hpp"

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

namespace example::json {
namespace {

/// Parses under the limit, and works with what was parsed under it, too. Nothing of the document
/// leaves the task but its summary, so an interrupt leaves nothing behind.
attempt parse_limited(document const& d) try {
  auto result = memprof::limit_global_memory([&] {
    auto const text = open(d);
    auto parsed = nlohmann::json::parse(*text);
    summary found = summarize(parsed);
    // ~basic_json allocates, and an interrupt must not leave a destructor. When an exception
    // unwinds the task nothing is raised anyway; at its normal end the mask sees to it.
    const memprof::masked_scope masked;
    parsed = nullptr;
    return found;
  });
  if (!result) return {.found = {}, .hit = std::move(result.error()), .failure = {}};
  return {.found = std::move(*result), .hit = {}, .failure = {}};
} catch (std::exception const& error) {
  return {.found = {}, .hit = {}, .failure = error.what()};  // not the limit: the document is bad
}

}  // namespace

void run_jobs(std::vector<job>& jobs, unsigned threads) {
  // The threads share nothing but the number of the next job; each result has a place of its own.
  std::atomic<std::size_t> next{0};
  auto const work = [&] {
    for (std::size_t i; (i = next++) < jobs.size();) {
      jobs[i].together = parse_limited(*jobs[i].source);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < threads; ++i) workers.emplace_back(work);
  }
  for (job& j : jobs) {
    if (j.together.hit) j.alone = parse_limited(*j.source);
  }
}

}  // namespace example::json
