// SPDX-License-Identifier: MIT
/// \file
/// How names are chosen: equal to, containing, or matching a text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace memprof::analysis {

/// A way to choose names of functions or files.
///
///     "List.map"                  contains it; also "contains:List.map"
///     "=Stdlib__List.map"         equals it; also "equals:Stdlib__List.map"
///     "/^Stdlib__.*\.map$/"       the ECMAScript regular expression is found in its first 1024
///                                 characters; also "regex:...". It has at most 1000 characters,
///                                 no back references, and repeats at most 1000 times ("{1000}").
class name_pattern {
 public:
  /// \throws std::invalid_argument for a malformed regular expression, or one with more.
  explicit name_pattern(std::string_view text);
  [[nodiscard]] bool matches(std::string_view name) const;
  [[nodiscard]] std::string const& text() const noexcept { return text_; }

 private:
  enum class how { contains, equals, regex };
  struct expression;

  std::string text_;    // as given
  std::string wanted_;  // without the marks
  how how_ = how::contains;
  std::shared_ptr<expression const> expression_;
};

}  // namespace memprof::analysis
