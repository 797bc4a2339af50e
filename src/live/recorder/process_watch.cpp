// SPDX-License-Identifier: MIT
#include "recorder/process_watch.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace memprof::recorder {
namespace {

/// A name has 15 bytes at most, so that a note holds them.
constexpr std::size_t most_threads = 128;
constexpr int read_at_once = 64;

std::string folder_of(pid_t process) { return "/proc/" + std::to_string(process); }

}  // namespace

void value_series::add(std::uint64_t time, std::uint64_t value) {
  while (time / step_ >= most) {
    std::vector<std::uint64_t> halves;
    for (std::size_t i = 0; i < values_.size(); i += 2) {
      const std::uint64_t second = i + 1 < values_.size() ? values_[i + 1] : nothing;
      halves.push_back(values_[i] == nothing ? second
                       : second == nothing   ? values_[i]
                                             : std::max(values_[i], second));
    }
    values_ = std::move(halves);
    step_ *= 2;
  }
  const std::size_t at = time / step_;
  if (at >= values_.size()) values_.resize(at + 1, nothing);
  values_[at] = values_[at] == nothing ? value : std::max(values_[at], value);
}

std::string value_series::text() const {
  if (values_.empty()) return {};
  std::string text = std::to_string(step_);
  for (const std::uint64_t v : values_) text += v == nothing ? " -" : " " + std::to_string(v);
  return text;
}

void process_watch::look(std::uint64_t time) {
  look_at_memory(time);
  look_at_threads();
}

void process_watch::look_at_memory(std::uint64_t time) {
  std::ifstream status(folder_of(process_) + "/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (!word.ends_with(':') || word.size() > 9) continue;
    if (word != "VmHWM:" && word != "VmRSS:" && word != "RssAnon:") continue;
    if (!(status >> kilobytes)) return;
    if (word == "VmHWM:") resident_peak_ = std::max(resident_peak_, kilobytes * 1024);
    if (word == "VmRSS:") resident_.add(time, kilobytes);
    if (word == "RssAnon:") anonymous_ = std::max(anonymous_, kilobytes * 1024);
  }
}

void process_watch::look_at_threads() {
  const std::string folder = folder_of(process_) + "/task";
  std::error_code none;
  int left = read_at_once;
  const auto read = [&](pid_t thread) {
    std::ifstream in(folder + "/" + std::to_string(thread) + "/comm");
    std::string name;
    if (std::getline(in, name)) {
      std::ranges::replace_if(
          name, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
      names_[thread] = name;
    }
    --left;
  };
  std::vector<pid_t> known;
  for (auto entry = std::filesystem::directory_iterator(folder, none);
       !none && left > 0 && entry != std::filesystem::directory_iterator(); entry.increment(none)) {
    const std::string text = entry->path().filename().string();
    pid_t thread = 0;
    std::from_chars(text.data(), text.data() + text.size(), thread);
    if (names_.contains(thread)) {
      known.push_back(thread);
    } else if (thread > 0 && names_.size() < most_threads) {
      read(thread);
    }
  }
  // Names may be given later: in turn.
  std::ranges::sort(known);
  auto next = std::ranges::lower_bound(known, next_to_read_);
  for (std::size_t i = 0; i < known.size() && left > 0; ++i, ++next) {
    if (next == known.end()) next = known.begin();
    read(*next);
    next_to_read_ = *next + 1;
  }
}

std::string process_watch::threads() const {
  std::string text;
  for (auto const& [thread, name] : names_) {
    text += (text.empty() ? "" : "\n") + std::to_string(thread) + " " + name;
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> process_watch::notes() const {
  std::vector<std::pair<std::string, std::string>> all;
  if (anonymous_ != 0) all.emplace_back("anonymous_peak", std::to_string(anonymous_));
  if (const std::string text = resident_.text(); !text.empty()) all.emplace_back("resident", text);
  if (!names_.empty()) all.emplace_back("threads", threads());
  return all;
}

}  // namespace memprof::recorder
