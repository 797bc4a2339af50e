// SPDX-License-Identifier: MIT
/// \file
/// What `run` was asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace memprof::tools {

///  - `live`: what the program has from malloc, estimated from samples.
///  - `resident`: what is in memory, as the kernel counts it.
///  - `group`: what a control group of its own has, which the kernel enforces, too.
enum class counted_memory : std::uint8_t { live, resident, group };

/// What happens at the limit.
enum class limit_action : std::uint8_t { report, refuse, term, abort, pause };

///  - `memory`: bytes: the limit.
///  - `soft`: a part of it, in (0, 1].
///  - `rate`: samples per word.
///  - `grace`: from SIGTERM or SIGABRT to SIGKILL.
///  - `output`: files of reports begin with this; empty: memprof.PROGRAM.PID, in this folder.
///  - `listen`: an address where requests are answered; empty: nobody can ask.
///  - `token_file`: its first line is what requests need.
///  - `quiet`: reports, and nothing else on standard error.
///  - `program`: what to run, with its arguments.
struct run_options {
  double memory = 0;
  double soft = 0.8;
  double rate = 0;
  counted_memory counted = counted_memory::live;
  limit_action action = limit_action::report;
  std::chrono::milliseconds grace{10'000};
  std::string output;
  std::string listen, token_file;
  bool quiet = false;
  std::vector<std::string> program;
};

}  // namespace memprof::tools
