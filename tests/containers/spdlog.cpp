// SPDX-License-Identifier: MIT
// Library: spdlog
// Package: libspdlog-dev
// Modules: spdlog
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sstream>

#include "survey.hpp"

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  s.function("spdlog::logger", "made, logs", [] {
    std::ostringstream out;
    spdlog::logger logger("a logger with a longer name than fits",
                          std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
    logger.set_error_handler([](std::string const&) {});
    for (int i = 0; i < 10; ++i) logger.info("{} {}", containers::text(i), std::string(400, 'x'));
  });
  return s.run();
}
