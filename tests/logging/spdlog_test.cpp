// SPDX-License-Identifier: MIT
// What docs/logging.md shows for spdlog.
#include <memory>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/sink.h>
#include <spdlog/spdlog.h>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "memprof/memprof.hpp"

#include "support/catch2.hpp"

using namespace memprof::literals;

namespace {

// [masked_sink]
/// Before a sink: what the task of a limit logs is written whole, or not at all.
class masked_sink final : public spdlog::sinks::sink {
 public:
  explicit masked_sink(std::shared_ptr<spdlog::sinks::sink> inner) : inner_(std::move(inner)) {}
  void log(spdlog::details::log_msg const& message) override {
    memprof::masked_scope const whole;
    inner_->log(message);
  }
  void flush() override {
    memprof::masked_scope const whole;
    inner_->flush();
  }
  void set_pattern(std::string const& pattern) override { inner_->set_pattern(pattern); }
  void set_formatter(std::unique_ptr<spdlog::formatter> f) override {
    inner_->set_formatter(std::move(f));
  }

 private:
  std::shared_ptr<spdlog::sinks::sink> inner_;
};
// [/masked_sink]

// [run_logged]
/// As memprof::run_limited; the log gets a warning at four fifths of each amount, and each hit.
template <class F>
auto run_logged(spdlog::logger& log, std::string const& task, memprof::limits l, F&& f) {
  l.soft.push_back({0.8, [&](memprof::soft_limit_notice& n) {
                      log.warn("{}: {} of {} bytes ({})", task, n.measured().value.count(),
                               n.limit().count(), to_string(n.kind()));
                    }});
  auto result = memprof::run_limited(l, std::forward<F>(f));
  if (!result) log.error("{}: {}", task, result.error().message());
  return result;
}
// [/run_logged]

/// Allocates while it writes, and can be asked whether it was interrupted there.
class allocating_sink final : public spdlog::sinks::sink {
 public:
  void log(spdlog::details::log_msg const& message) override {
    ++begun;
    std::vector<std::string> copies;
    for (int i = 0; i < 100; ++i)
      copies.emplace_back(message.payload.data(), message.payload.size());
    ++finished;
  }
  void flush() override {}
  void set_pattern(std::string const&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

  int begun = 0, finished = 0;
};

/// Allocates beside the log, too: an interrupt that spdlog has swallowed comes again there.
void work_and_log(spdlog::logger& log) {
  const std::string text(1000, 'x');
  for (std::vector<std::string> work;;) {
    log.info(text);
    work.push_back(text);
  }
}

}  // namespace

TEST_CASE("logging: a hit and its soft limit are in the log") {
  std::ostringstream text;
  spdlog::logger log("test", std::make_shared<masked_sink>(
                                 std::make_shared<spdlog::sinks::ostream_sink_st>(text)));
  log.set_pattern("%l %v");
  const memprof::limits l{.allocations = 1_MiB, .count = memprof::counting::exact};
  auto r = run_logged(log, "report 17", l, [] {
    std::vector<std::string> all;
    for (;;) all.emplace_back(1000, 'x');
  });
  CHECK_FALSE(r);
  const std::string lines = text.str();
  INFO(lines);
  CHECK(lines.find("warning report 17: ") == 0);
  CHECK(lines.find(" of 1048576 bytes (allocations)\n") != std::string::npos);
  CHECK(lines.find("error report 17: allocations limit of 1 MiB reached") != std::string::npos);
}

TEST_CASE("logging: a task's message is not interrupted half-way") {
  const auto inner = std::make_shared<allocating_sink>();
  spdlog::logger log("test", std::make_shared<masked_sink>(inner));
  const auto run = [&](std::int64_t words) {
    const memprof::limits l{.allocations = memprof::words{words},
                            .count = memprof::counting::exact};
    return memprof::run_limited(l, [&] { work_and_log(log); });
  };
  // Limits of many sizes, so that some are hit at each of its allocations.
  for (std::int64_t words = 1000; words < 40'000; words += 297) {
    CHECK_FALSE(run(words));
    REQUIRE(inner->begun == inner->finished);
  }
  CHECK(inner->begun > 130);

  // Without, they are.
  spdlog::logger bare("test", inner);
  bare.set_error_handler([](std::string const&) {});
  const memprof::limits l{.allocations = 100_KiB, .count = memprof::counting::exact};
  CHECK_FALSE(memprof::run_limited(l, [&] { work_and_log(bare); }));
  CHECK(inner->begun > inner->finished);
}
