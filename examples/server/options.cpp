// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <charconv>
#include <stdexcept>

#include "common/amount.hpp"

namespace example::server {
namespace {

long parse_number(std::string_view what, std::string_view text, long least, long most) {
  long number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    throw std::invalid_argument(std::string(what) + " '" + std::string(text) +
                                "': expected a number from " + std::to_string(least) + " to " +
                                std::to_string(most));
  }
  return number;
}

}  // namespace

char const usage[] =
    "[--host ADDRESS] [--port N] [--tasks N] [--allocations SIZE] [--memory SIZE]\n"
    "    [--deadline MILLISECONDS] [--global-memory SIZE] [--soft-memory SIZE] [--reserve SIZE]\n";

std::chrono::milliseconds parse_milliseconds(std::string_view text) {
  return std::chrono::milliseconds{parse_number("deadline", text, 0, 86'400'000)};
}

options parse_options(int argc, char** argv) {
  options result;
  for (int i = 1; i < argc; ++i) {
    std::string_view const name = argv[i];
    if (++i == argc) {
      throw std::invalid_argument("'" + std::string(name) + "' is unknown or needs a value");
    }
    std::string_view const value = argv[i];
    if (name == "--host") {
      result.host = value;
    } else if (name == "--port") {
      result.port = static_cast<int>(parse_number(name, value, 0, 65535));
    } else if (name == "--tasks") {
      result.tasks = static_cast<std::size_t>(parse_number(name, value, 1, 1000));
    } else if (name == "--allocations") {
      result.limits.allocations = parse_amount(value);
    } else if (name == "--memory") {
      result.limits.memory = parse_amount(value);
    } else if (name == "--deadline") {
      result.limits.deadline = parse_milliseconds(value);
    } else if (name == "--global-memory") {
      result.global_memory = parse_amount(value);
    } else if (name == "--soft-memory") {
#if EXAMPLE_CAN_PAUSE
      result.soft_memory = parse_amount(value);
#else
      throw std::invalid_argument("--soft-memory needs the component memprof::fiber");
#endif
    } else if (name == "--reserve") {
      result.reserve = parse_amount(value);
    } else {
      throw std::invalid_argument("unknown option '" + std::string(name) + "'");
    }
  }
  if (result.limits.memory - result.soft_memory > result.reserve &&
      result.soft_memory > memprof::bytes{}) {
    throw std::invalid_argument(
        "--reserve must hold what one request may need: --memory less "
        "--soft-memory");
  }
  return result;
}

}  // namespace example::server
