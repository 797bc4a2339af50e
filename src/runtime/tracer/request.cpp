// SPDX-License-Identifier: MIT
#include "tracer/request.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unistd.h>

#include "memprof/callstack.hpp"
#include "memprof/tracing.hpp"

#include "base/base.hpp"
#include "engine/engine.hpp"
#include "tracer/file_name.hpp"
#include "tracer/messages.hpp"
#include "tracer/relay_session.hpp"

namespace memprof::tracer {
namespace {

/// "PID:FILE": handed over from the previous program in the same process.
constexpr char traced_process[] = "MEMPROF_TRACED_PROCESS";

bool is_set(char const* variable) noexcept {
  char const* const value = base::environment_value(variable);
  return value != nullptr && *value != '\0';
}

/// What comes after "PID:", if PID is this process.
char const* handed_over() noexcept {
  char const* const text = base::environment_value(traced_process);
  if (text == nullptr) return nullptr;
  pid_t process = 0;
  const auto [rest, error] = std::from_chars(text, text + std::strlen(text), process);
  if (error != std::errc{} || *rest != ':' || process != getpid()) return nullptr;
  return rest + 1;
}

bool is_variable(char const* entry, std::string_view name) noexcept {
  return std::strncmp(entry, name.data(), name.size()) == 0 && entry[name.size()] == '=';
}

/// For a program that this one may execute in its place. It gets the environment, as children
/// do, but only it has our process id. Stands where MEMTRACE stood, which children must not see.
///
/// Not by setenv, of which the program may have its own: bash's works on variables that bash has
/// not read yet, and is undone when it does. Before main, and before our own thread starts.
void hand_over(settings const& wanted) noexcept {
  static constinit std::array<char, sizeof traced_process + 16 + longest_file_name> text{};
  base::bounded_text out{text};
  (out << traced_process << "=").number(getpid()) << ":" << wanted.file.data();
  char** kept = environ;
  bool written = false;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    char* stays = *entry;
    if (is_variable(stays, "MEMTRACE") || is_variable(stays, traced_process)) {
      stays = written ? nullptr : text.data();
      written = true;
    }
    if (stays != nullptr) *kept++ = stays;
  }
  *kept = nullptr;
}

}  // namespace

bool set_file(settings& wanted, char const* name) noexcept {
  wanted.for_each_process = has_process_id(name);
  std::size_t used = 0;
  if (name[0] != '/' && name[0] != '\0' &&
      getcwd(wanted.file.data(), wanted.file.size() - 1) != nullptr) {
    used = std::strlen(wanted.file.data());
    wanted.file[used++] = '/';
  }
  const std::size_t length = std::strlen(name);
  if (length == 0 || used + length >= wanted.file.size()) return false;
  std::memcpy(wanted.file.data() + used, name, length + 1);
  return true;
}

void set_context(settings& wanted, char const* text) noexcept {
  const std::size_t length = std::min(std::strlen(text), longest_context);
  std::memcpy(wanted.context.data(), text, length);
  wanted.context[length] = '\0';
}

void read_rate(double& rate, base::setting_error& error) noexcept {
  double read = -1.0;
  base::read_setting("MEMTRACE_RATE", 0.0, 1.0, read, error);
  if (read > 0.0) rate = read;
  if (read == 0.0 && !error) {
    std::strcpy(error.text, "environment variable MEMTRACE_RATE: the rate must be above 0");
  }
}

char const* requested_file() noexcept {
  return is_set("MEMTRACE") ? base::environment_value("MEMTRACE") : nullptr;
}

void forget_request() noexcept {
  const engine::muted_section muted;
  setenv("MEMTRACE", "", 1);
}

bool start_if_requested() noexcept {
  if (relay::is_invited()) {
    base::setting_error error;
    double rate = default_trace_rate.per_word();
    read_rate(rate, error);
    if (error) {
      base::raw_message(error.text);
      return false;
    }
    // In a program that does not know of memprof only the trace needs samples.
    if (!is_set("MEMPROF_RATE")) engine::configure_process_rate(0.0);
    if (start_relay(rate, callstack_depth())) return true;
  }
  char const* const requested = requested_file();
  char const* const file = requested != nullptr ? requested : handed_over();
  if (file == nullptr) return true;
  static constinit settings wanted;
  base::setting_error error;
  wanted.rate = default_trace_rate.per_word();
  wanted.callstack_size = callstack_depth();
  read_rate(wanted.rate, error);
  if (error) {
    base::raw_message(error.text);
    return false;
  }
  if (!set_file(wanted, file)) {
    base::raw_message("environment variable MEMTRACE: the file name is too long");
    return false;
  }
  // In a program that does not know of memprof only the trace needs samples.
  if (!is_set("MEMPROF_RATE")) engine::configure_process_rate(0.0);
  if (char const* const context = base::environment_value("MEMPROF_CONTEXT"))
    set_context(wanted, context);
  if (!wanted.for_each_process) hand_over(wanted);
  finish_after_everything();
  if (const outcome how = start(wanted); !how) {
    std::array<char, longest_message> text;
    describe(how, wanted, text);
    base::raw_message(text.data());
  }
  return true;
}

}  // namespace memprof::tracer
