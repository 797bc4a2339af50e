// SPDX-License-Identifier: MIT
#include "tracer/messages.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.hpp"

namespace memprof::tracer {
namespace {

/// Short enough to leave room for the reason.
struct shown_name {
  explicit shown_name(settings const& wanted) noexcept {
    const std::size_t length = std::strlen(wanted.file.data());
    std::memcpy(text, wanted.file.data(), std::min(length, sizeof text - 1));
    if (length >= sizeof text) std::memcpy(text + sizeof text - 4, "...", 3);
  }
  char text[256] = {};
};

char const* reason_of(int error) noexcept {
  char const* const text = strerrordesc_np(error);  // takes no lock, translates nothing
  return text != nullptr ? text : "unknown error";
}

}  // namespace

void describe(outcome const& failure, settings const& wanted,
              std::array<char, longest_message>& text, bool with_reason) noexcept {
  const shown_name name(wanted);
  base::bounded_text out(text);
  switch (failure.failed) {
    case step::none:
      return;
    case step::memory:
    case step::encode:
      out << "cannot trace to " << name.text;
      break;
    case step::thread:
      out << "cannot start the thread that would write trace file " << name.text;
      break;
    case step::open:
      out << "cannot open trace file " << name.text;
      break;
    case step::lock:
      out << "cannot lock trace file " << name.text << ": is another process using it?";
      return;
    case step::write:
      out << "cannot write trace file " << name.text;
      break;
  }
  if (with_reason) out << ": " << reason_of(failure.reason);
}

void describe_drop(std::uint64_t dropped, settings const& wanted,
                   std::array<char, longest_message>& text) noexcept {
  const shown_name name(wanted);
  base::bounded_text out(text);
  (out << "trace " << name.text << ": ").number(dropped)
      << " sampled blocks or interrupts are missing, they came faster than they could be written";
}

bool say_to_program(char const* text) noexcept {
  char whole[longest_message + 16];
  base::bounded_text{whole} << "memprof: " << text << "\n";
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_getfd)
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  if (process < 0) return false;
  const auto standard_error = static_cast<int>(syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0));
  close(process);
  if (standard_error < 0) return false;
  const bool said = write(standard_error, whole, std::strlen(whole)) > 0;
  close(standard_error);
  return said;
#else
  return false;
#endif
}

}  // namespace memprof::tracer
