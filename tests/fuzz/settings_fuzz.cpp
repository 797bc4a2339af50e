// SPDX-License-Identifier: MIT
//
// Any text as environment variables, and as the parts of requests: what is not understood leaves
// the value alone and has a message, what is understood is in its range.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/base.hpp"
#include "http/host_name.hpp"
#include "http/request_target.hpp"
#include "relay/invitation.hpp"
#include "require.hpp"
#include "tracer/file_name.hpp"

using namespace memprof;
using memprof_fuzz::require;

namespace {

void read_as_settings(std::string const& text) {
  ::setenv("MEMPROF_FUZZED", text.c_str(), 1);
  base::setting_error error;
  double rate = 0.5;
  base::read_setting("MEMPROF_FUZZED", 0.0, 1.0, rate, error);
  require(rate >= 0 && rate <= 1);
  require(!error || rate == 0.5);
  require(std::memchr(error.text, 0, sizeof error.text) != nullptr);
  base::setting_error other_error;
  std::uint64_t number = 7;
  base::read_setting("MEMPROF_FUZZED", 5, 1000, number, other_error);
  require(number >= 5 && number <= 1000);
  require(!other_error || number == 7);
  char const* const words[] = {"fp", "eh_frame", "none"};
  std::size_t chosen = 1;
  base::setting_error word_error;
  base::read_setting("MEMPROF_FUZZED", words, chosen, word_error);
  require(chosen < 3 && (!word_error || chosen == 1));
}

void read_as_invitation(std::string const& text) {
  relay::invitation read;
  if (!relay::invitation::parse(text.c_str(), read)) return;
  require(read.recorder > 0 && read.descriptor >= 0);
  relay::invitation again;
  require(relay::invitation::parse(read.written().data(), again));
  require(again.recorder == read.recorder && again.descriptor == read.descriptor &&
          again.cookie == read.cookie);
}

void read_as_file_name(std::string const& text) {
  char name[4096];
  std::memset(name, 1, sizeof name);
  if (tracer::expand_process_id(text.c_str(), 4'194'304, name)) {
    require(std::memchr(name, 0, sizeof name) != nullptr);
    if (!tracer::has_process_id(text.c_str())) require(text == name);
  }
}

void read_as_request(std::string const& text) {
  auto const target = http::request_target::of(text);
  require(target.path.size() + target.query.size() <= text.size());
  for (char const* name : {"seconds", "gc", "", "debug"}) {
    if (auto const value = target.value(name)) {
      require(value->size() <= text.size());
      auto const n = http::natural_number(*value, 300);
      require(!n || *n <= 300);
    }
  }
  static_cast<void>(http::prefers_openmetrics(text));
  // Nobody else's page has such a name.
  if (http::is_host_of(text, "127.0.0.1")) {
    require(text.find("evil") == std::string::npos && !text.empty());
  }
  static_cast<void>(http::is_host_of(text, "0.0.0.0"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string text(reinterpret_cast<char const*>(data), size);
  read_as_request(text);
  text = text.substr(0, text.find('\0'));
  read_as_settings(text);
  read_as_invitation(text);
  read_as_file_name(text);
  return 0;
}
