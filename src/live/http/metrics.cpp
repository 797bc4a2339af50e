// SPDX-License-Identifier: MIT
#include "memprof/serve/metrics.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "pprof/pprof.hpp"

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
  for (const char c : pprof::utf8(text)) {
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

}  // namespace

metrics& metrics::begin(std::string_view name, std::string_view type, std::string_view help) {
  check_name(name);
  const bool open = format_ == metrics_format::openmetrics;
  sample_ = name;
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
  std::string line = sample_;
  char before = '{';
  for (label const& l : labels) {
    check_name(l.name);
    line += before;
    line += std::string(l.name) + "=\"" + escaped(l.value, true) + '"';
    before = ',';
  }
  if (before == ',') line += '}';
  text_ += std::exchange(head_, {});
  text_ += line + ' ' + value + '\n';
  return *this;
}

metrics& metrics::sample(double value, std::initializer_list<label> labels) {
  if (std::isnan(value)) return add("NaN", labels);
  if (std::isinf(value)) return add(value > 0 ? "+Inf" : "-Inf", labels);
  return add(digits(value), labels);
}

std::string metrics::number(std::int64_t value) { return digits(value); }
std::string metrics::number(std::uint64_t value) { return digits(value); }

std::string metrics::finish() {
  if (format_ == metrics_format::openmetrics) text_ += "# EOF\n";
  return std::move(text_);
}

}  // namespace memprof::inline v0::serve
