// SPDX-License-Identifier: MIT
//
// Any text as the environment variables that memprof reads, each by the function that reads it. The
// lines of an input are their values, in the order of `variables`.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/base.hpp"
#include "callstack/callstack.hpp"
#include "engine/engine.hpp"
#include "relay/invitation.hpp"
#include "require.hpp"
#include "tracer/request.hpp"

using namespace memprof;
using memprof_fuzz::require;

namespace {

constexpr char const* variables[] = {"MEMPROF_RATE",      "MEMPROF_SEED",
                                     "MEMPROF_NURSERY",   "MEMPROF_GUARD",
                                     "MEMPROF_CALLSTACK", "MEMPROF_CALLSTACK_DEPTH",
                                     "MEMTRACE",          "MEMTRACE_RATE",
                                     "MEMPROF_CONTEXT",   "MEMPROF_RECORDER"};

bool ends(char const* text, std::size_t size) { return std::memchr(text, 0, size) != nullptr; }

void set_all(std::string_view text) {
  for (char const* const name : variables) {
    std::size_t const end = text.find('\n');
    ::setenv(name, std::string(text.substr(0, end)).c_str(), 1);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void read_all() {
  base::setting_error error;
  engine::environment_settings const s = engine::read_environment(error);
  require(ends(error.text, sizeof error.text));
  require(s.rate >= 0.0 && s.rate <= 1.0 && s.nursery_words >= 1);
  base::setting_error of_rate;
  double rate = 0.25;
  tracer::read_rate(rate, of_rate);
  require(ends(of_rate.text, sizeof of_rate.text));
  require(rate > 0.0 && rate <= 1.0 && (!of_rate || rate == 0.25));
  static tracer::settings wanted;
  if (char const* const file = tracer::requested_file()) {
    if (tracer::set_file(wanted, file)) {
      std::string_view const name = wanted.file.data();
      require(name.size() < wanted.file.size() && name.starts_with('/') && name.ends_with(file));
    }
  }
  tracer::set_context(wanted, std::getenv("MEMPROF_CONTEXT"));
  require(ends(wanted.context.data(), wanted.context.size()));
  relay::invitation invited;
  if (relay::invitation::parse(std::getenv("MEMPROF_RECORDER"), invited)) {
    require(invited.recorder > 0 && invited.descriptor >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  set_all({reinterpret_cast<char const*>(data), size});
  read_all();
  return 0;
}
