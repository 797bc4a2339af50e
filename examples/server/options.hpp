// SPDX-License-Identifier: MIT
/// \file
/// The server's command line.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include <memprof/units.hpp>

namespace example::server {

/// What one task may take. A request may ask for less, never for more.
struct task_limits {
  memprof::bytes allocations = memprof::operator""_MiB(64);
  memprof::bytes memory = memprof::operator""_MiB(1);
  std::chrono::milliseconds deadline{10'000};
};

struct options {
  std::string host = "127.0.0.1";
  int port = 0;            ///< 0: any free one
  std::size_t tasks = 48;  ///< at a time; more are answered with 503
  task_limits limits;
  memprof::bytes global_memory = memprof::operator""_MiB(256);
  /// Beyond this a request is paused until the rest is to be had from the reserve; 0: never.
  memprof::bytes soft_memory{};
  memprof::bytes reserve = memprof::operator""_MiB(64);  ///< shared by requests beyond theirs
};

/// throws      std::invalid_argument, naming the option.
options parse_options(int argc, char** argv);

/// Milliseconds: "1500".
/// throws      std::invalid_argument, naming the text.
std::chrono::milliseconds parse_milliseconds(std::string_view text);

extern char const usage[];

}  // namespace example::server
