// SPDX-License-Identifier: MIT
#include "tools/progress_bar.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

#include "analysis/analysis.hpp"
#include "text/text.hpp"

namespace memprof::tools {
namespace {

using namespace std::chrono_literals;

bool is_terminal() {
  char const* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

}  // namespace

progress_bar::progress_bar(bool wanted)
    : wanted_(wanted && is_terminal()), begin_(clock::now()), last_drawn_(begin_) {}

// After an error the message begins a line of its own.
progress_bar::~progress_bar() {
  if (drawn_) std::fputc('\n', stderr);
}

void progress_bar::show(std::string const& label, std::uint64_t done,
                        std::optional<std::uint64_t> size, bool finished) {
  if (!wanted_) return;
  const auto now = clock::now();
  if (!drawn_ && (finished || now - begin_ < 1s)) {
    if (finished) begin_ = now;  // the next reading has its own second
    return;
  }
  if (!finished && now - last_drawn_ < 100ms) return;
  last_drawn_ = now;
  drawn_ = true;
  std::string text;
  if (!size || *size == 0) {
    text = fmt::format("{}: {}", label, analysis::bytes_text(static_cast<double>(done)));
  } else {
    constexpr int width = 30;
    const double part =
        finished ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(*size));
    const std::string full(static_cast<std::size_t>(part * width), '#');
    text = fmt::format("{} [{:<{}}] {:3} %", label, full, width, static_cast<int>(part * 100));
    const auto elapsed = now - begin_;
    if (!finished && elapsed >= 2s && part > 0) {
      const auto left =
          std::chrono::duration_cast<std::chrono::microseconds>(elapsed * ((1 - part) / part));
      text += fmt::format(", {} left", analysis::duration_text(left));
    }
  }
  std::fputs(("\r\033[K" + text::printable(text)).c_str(), stderr);
  if (!finished) return;
  std::fputc('\n', stderr);
  drawn_ = false;
  begin_ = now;
}

}  // namespace memprof::tools
