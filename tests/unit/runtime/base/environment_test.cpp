// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <string>

#include "base/base.hpp"
#include "support/catch2.hpp"

using namespace memprof::base;

namespace {

constexpr char const* name = "MEMPROF_TEST_SETTING";

/// The value read from `text`, starting from 0.5; the error in `message`.
double read(char const* text, std::string& message) {
  setenv(name, text, 1);
  double value = 0.5;
  setting_error error;
  read_setting(name, 0.0, 1.0, value, error);
  message = error.text;
  unsetenv(name);
  return value;
}

}  // namespace

TEST_CASE("settings: numbers in range are taken") {
  std::string message;
  CHECK(read("1e-4", message) == 1e-4);
  CHECK(read("0", message) == 0.0);
  CHECK(read("1", message) == 1.0);
  CHECK(read("1e-300", message) == 1e-300);
  CHECK(message.empty());
  CHECK(read("", message) == 0.5);
  CHECK(message.empty());
}

TEST_CASE("settings: what is no number in range changes nothing and is named") {
  std::string const text = GENERATE(as<std::string>{}, "fast", "1.5", "-1", "nan", "inf", "1e-4 ",
                                    "0,1", "0x1", std::string(500, '9'));
  std::string message;
  CHECK(read(text.c_str(), message) == 0.5);
  CHECK(message.find(name) != std::string::npos);
  CHECK(message.find(text.substr(0, 20)) != std::string::npos);
  CHECK(message.find("from 0 to 1") != std::string::npos);
}

TEST_CASE("settings: the first error is kept, whole numbers are whole") {
  setenv(name, "1.5", 1);
  std::uint64_t value = 7;
  setting_error error;
  read_setting(name, std::uint64_t{1}, std::uint64_t{100}, value, error);
  CHECK(value == 7);
  const std::string first = error.text;
  setenv(name, "x", 1);
  read_setting(name, std::uint64_t{1}, std::uint64_t{100}, value, error);
  CHECK(first == error.text);
  setenv(name, "100", 1);
  read_setting(name, std::uint64_t{1}, std::uint64_t{100}, value, error);
  CHECK(value == 100);
  unsetenv(name);
}

TEST_CASE("settings: one of several words") {
  static constexpr char const* words[] = {"auto", "fp"};
  const auto chosen_by = [](char const* text, setting_error& error) {
    setenv(name, text, 1);
    std::size_t chosen = 7;
    read_setting(name, words, chosen, error);
    unsetenv(name);
    return chosen;
  };
  setting_error error;
  CHECK(chosen_by("auto", error) == 0);
  CHECK(chosen_by("fp", error) == 1);
  CHECK(chosen_by("", error) == 7);
  CHECK_FALSE(error);
  CHECK(chosen_by("FP", error) == 7);
  CHECK(std::string(error.text) ==
        "environment variable MEMPROF_TEST_SETTING='FP' is not one of auto, fp");
}
