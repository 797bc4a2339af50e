// SPDX-License-Identifier: MIT
#include "memprof/serve/metrics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "text/text.hpp"

namespace memprof::inline v0::serve {
namespace {

bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void check_name(std::string_view name) {
  bool right = !name.empty() && is_letter(name[0]);
  for (const char c : name) right = right && (is_letter(c) || (c >= '0' && c <= '9'));
  if (!right) {
    throw std::invalid_argument("memprof::serve::metrics: '" + std::string(name) +
                                "' is no name of a metric or label");
  }
}

/// Of label values, and without `quotes` of help texts.
std::string escaped(std::string_view text, bool quotes) {
  std::string result;
  for (const char c : text::utf8(text)) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\\' || (c == '"' && quotes)) {
      result += '\\';
      result += c;
    } else {
      result += c;
    }
  }
  return result;
}

template <class Number>
std::string digits(Number value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return digits(value);
}

/// {a="b",c="d"}
std::string braced(std::initializer_list<label> labels) {
  std::string text;
  for (label const& l : labels) {
    check_name(l.name);
    text += text.empty() ? '{' : ',';
    text += std::string(l.name) + "=\"" + escaped(l.value, true) + '"';
  }
  return text.empty() ? "{}" : text + '}';
}

/// Of OpenMetrics 1.0, "Exemplars": code points of all names and values.
constexpr std::ptrdiff_t most_characters = 128;

std::ptrdiff_t characters_of(std::initializer_list<label> labels) {
  std::ptrdiff_t sum = 0;
  for (label const& l : labels) {
    sum += static_cast<std::ptrdiff_t>(l.name.size());
    // All bytes of a character but the first are 10xxxxxx.
    sum += std::ranges::count_if(text::utf8(l.value), [](char c) { return (c & 0xc0) != 0x80; });
  }
  return sum;
}

}  // namespace

metrics& metrics::begin(std::string_view name, std::string_view type, std::string_view help) {
  check_name(name);
  const bool open = format_ == metrics_format::openmetrics;
  sample_ = name;
  counter_ = type == "counter";
  takes_exemplar_ = false;
  if (type == "counter") sample_ += "_total";
  if (type == "info") sample_ += "_info";
  const std::string family = open ? std::string(name) : sample_;
  if (type == "info" && !open) type = "gauge";
  head_ = "# HELP " + family + ' ' + escaped(help, open) + "\n# TYPE " + family + ' ' +
          std::string(type) + '\n';
  for (const std::string_view unit : {"bytes", "seconds"}) {
    if (open && name.ends_with("_" + std::string(unit))) {
      head_ += "# UNIT " + family + ' ' + std::string(unit) + '\n';
    }
  }
  return *this;
}

metrics& metrics::counter(std::string_view name, std::string_view help) {
  return begin(name, "counter", help);
}
metrics& metrics::gauge(std::string_view name, std::string_view help) {
  return begin(name, "gauge", help);
}
metrics& metrics::info(std::string_view name, std::string_view help) {
  return begin(name, "info", help);
}

metrics& metrics::add(std::string const& value, std::initializer_list<label> labels) {
  if (sample_.empty())
    throw std::invalid_argument("memprof::serve::metrics: a sample of no family");
  const std::string line = sample_ + (labels.size() > 0 ? braced(labels) : "") + ' ' + value + '\n';
  text_ += std::exchange(head_, {});
  text_ += line;
  takes_exemplar_ = counter_;
  return *this;
}

metrics& metrics::sample(double value, std::initializer_list<label> labels) {
  return add(text_of(value), labels);
}

metrics& metrics::exemplar(std::initializer_list<label> labels, double value,
                           std::chrono::system_clock::time_point when) {
  const std::string shown = braced(labels);
  if (!std::exchange(takes_exemplar_, false)) {
    throw std::invalid_argument("memprof::serve::metrics: an exemplar of no counter's sample");
  }
  if (format_ != metrics_format::openmetrics || characters_of(labels) > most_characters) {
    return *this;
  }
  const std::chrono::duration<double> since_epoch =
      std::chrono::floor<std::chrono::milliseconds>(when.time_since_epoch());
  text_.pop_back();  // the end of the sample's line
  text_ += " # " + shown + ' ' + text_of(value) + ' ' + digits(since_epoch.count()) + '\n';
  return *this;
}

std::string metrics::number(std::int64_t value) { return digits(value); }
std::string metrics::number(std::uint64_t value) { return digits(value); }

std::string metrics::finish() {
  if (format_ == metrics_format::openmetrics) text_ += "# EOF\n";
  return std::move(text_);
}

}  // namespace memprof::inline v0::serve
