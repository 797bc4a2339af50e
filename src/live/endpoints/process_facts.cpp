// SPDX-License-Identifier: MIT
#include "endpoints/process_facts.hpp"

#include <array>
#include <fstream>
#include <unistd.h>

namespace memprof::endpoints {

std::string raw_command_line(std::size_t most) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words(most, '\0');
  file.read(words.data(), static_cast<std::streamsize>(words.size()));
  words.resize(static_cast<std::size_t>(file.gcount()));
  return words;
}

std::string command_as_text() {
  const std::string words = raw_command_line(4096);
  std::string text;
  for (std::size_t at = 0; at < words.size();) {
    const std::string word = words.substr(at, words.find('\0', at) - at);
    at += word.size() + 1;
    const bool plain = !word.empty() && word.find_first_of(" '\"\\\t\n") == std::string::npos;
    text += (text.empty() ? "" : " ") + (plain ? word : '\'' + word + '\'');
  }
  return text;
}

std::string executable_path() {
  std::array<char, 4096> path{};
  const ssize_t n = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace memprof::endpoints
