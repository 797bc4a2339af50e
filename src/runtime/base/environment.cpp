// SPDX-License-Identifier: MIT
#include "base/environment.hpp"

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <locale.h>
#include <string_view>
#include <type_traits>
#include <unistd.h>
#include <version>

#include "base/bounded_text.hpp"
#include "base/printable.hpp"

namespace memprof::base {
namespace {

/// The beginning of what is wrong: the variable, and as much of its text as fits.
bounded_text complaint(char const* name, char const* text, setting_error& error) noexcept {
  bounded_text message{error.text};
  char shown[64] = {};
  std::strncpy(shown, text, sizeof shown - 1);
  message << "environment variable " << name << "='" << shown;
  return message;
}

/// Whether `text` is a number, and nothing else.
template <class Number>
bool parse(char const* text, Number& value) noexcept {
  char const* const end = text + std::strlen(text);
#if !defined(__cpp_lib_to_chars)  // libc++ up to 19: from_chars reads integers alone
  if constexpr (std::is_floating_point_v<Number>) {
    if (*text == '+' || *text == ' ' || std::strpbrk(text, "xX") != nullptr) return false;
    const int saved_errno = errno;
    char* rest;
    // glibc has this locale ready: nothing is allocated.
    value = strtod_l(text, &rest, newlocale(LC_ALL_MASK, "C", nullptr));
    errno = saved_errno;
    return rest == end;
  } else
#endif
  {
    const auto [rest, code] = std::from_chars(text, end, value);
    return code == std::errc{} && rest == end;
  }
}

template <class Number>
void read(char const* name, Number least, Number most, Number& value,
          setting_error& error) noexcept {
  char const* text = environment_value(name);
  if (text == nullptr || *text == '\0') return;
  Number parsed{};
  // Written so that a NaN fails it, too.
  if (parse(text, parsed) && parsed >= least && parsed <= most) {
    value = parsed;
    return;
  }
  if (error) return;
  bounded_text message = complaint(name, text, error);
  message << "' is not a number from ";
  message.number(least) << " to ";
  message.number(most);
}

}  // namespace

char const* environment_value(char const* name) noexcept { return secure_getenv(name); }

void read_setting(char const* name, double least, double most, double& value,
                  setting_error& error) noexcept {
  read(name, least, most, value, error);
}

void read_setting(char const* name, std::uint64_t least, std::uint64_t most, std::uint64_t& value,
                  setting_error& error) noexcept {
  read(name, least, most, value, error);
}

void read_setting(char const* name, std::span<char const* const> words, std::size_t& chosen,
                  setting_error& error) noexcept {
  char const* const text = environment_value(name);
  if (text == nullptr || *text == '\0') return;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::strcmp(text, words[i]) == 0) {
      chosen = i;
      return;
    }
  }
  if (error) return;
  bounded_text message = complaint(name, text, error);
  message << "' is not one of";
  for (char const* const word : words) message << (word == words[0] ? " " : ", ") << word;
}

void raw_message(char const* text) noexcept { raw_message({text}); }

void raw_message(std::initializer_list<char const*> parts) noexcept {
  const int saved_errno = errno;
  char given[512] = {};
  bounded_text message{given};
  for (char const* const part : parts) message << part;
  char line[512] = "memprof: ";
  std::size_t length = std::strlen(line);
  escape_room room;
  for (std::string_view rest = given; !rest.empty();) {
    const std::string_view piece = next_printable(rest, room);
    if (piece.size() > sizeof line - 1 - length) {
      if (piece.data() == room.data()) break;
      length += piece.copy(line + length, sizeof line - 1 - length);
      break;
    }
    length += piece.copy(line + length, piece.size());
  }
  line[length] = '\n';
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line, length + 1);
  errno = saved_errno;
}

}  // namespace memprof::base
