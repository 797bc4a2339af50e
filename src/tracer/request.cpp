// SPDX-License-Identifier: MIT
#include "tracer/request.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "memprof/callstack.hpp"
#include "memprof/tracing.hpp"

#include "engine/engine.hpp"
#include "tracer/file_name.hpp"
#include "tracer/messages.hpp"

namespace memprof::tracer {
namespace {

bool this_process_is_meant() noexcept {
  char const* const process = std::getenv("MEMPROF_TRACED_PROCESS");
  if (process == nullptr || *process == '\0') return true;
  long number = 0;
  std::from_chars(process, process + std::strlen(process), number);
  return number == getpid();
}

bool is_set(char const* variable) noexcept {
  char const* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool set_file(settings& wanted, char const* name) noexcept {
  wanted.for_each_process = has_process_id(name);
  std::size_t used = 0;
  if (wanted.for_each_process && name[0] != '/' &&
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
  return is_set("MEMTRACE") ? std::getenv("MEMTRACE") : nullptr;
}

void forget_request() noexcept {
  const engine::muted_section muted;
  setenv("MEMTRACE", "", 1);
}

bool start_if_requested() noexcept {
  char const* const file = requested_file();
  if (file == nullptr) return true;
  if (!this_process_is_meant()) {
    forget_request();
    return true;
  }
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
  if (char const* const context = std::getenv("MEMPROF_CONTEXT")) set_context(wanted, context);
  finish_after_everything();
  if (const outcome how = start(wanted); !how) {
    std::array<char, longest_message> text;
    describe(how, wanted, text);
    base::raw_message(text.data());
  }
  if (!wanted.for_each_process && !is_set("MEMPROF_TRACED_PROCESS")) forget_request();
  return true;
}

}  // namespace memprof::tracer
