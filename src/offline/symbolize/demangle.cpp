// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>

#include "symbolize/demangled_size.hpp"
#include "symbolize/short_name.hpp"

namespace memprof::symbolize {
namespace {

constexpr std::size_t longest_name = 4096;
constexpr double longest_demangled = 1 << 22;

/// At most how long the text of any mangled name can be, however it is made. A substitution (S_, T0_) repeats something
/// that ended before it, so its first occurrence at most doubles the text so far, and later ones
/// add as much again: a name of 500 characters can mean 2^100.
double text_bound(std::string_view name) {
  std::map<std::string_view, double> known;
  double bound = 0;
  for (std::size_t i = 0; i < name.size(); ++i, ++bound) {
    const char c = name[i];
    if (c >= '1' && c <= '9') {  // a word in the clear
      std::size_t n = 0;
      for (; i < name.size() && name[i] >= '0' && name[i] <= '9' && n < name.size(); ++i) {
        n = 10 * n + static_cast<std::size_t>(name[i] - '0');
      }
      n = std::min(n, name.size() - i);
      bound += static_cast<double>(n);
      i += n;
      if (n > 0) --i;
      continue;
    }
    if (c != 'S' && c != 'T') {
      bound += 20;  // "unsigned long long", "operator delete[]"
      continue;
    }
    const std::size_t end = name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", i + 1);
    if (end == std::string_view::npos || name[end] != '_') {
      bound += 80;  // St, Ss, Sa: names of the standard library
      continue;
    }
    const auto [at, first] = known.try_emplace(name.substr(i, end - i), bound);
    bound += at->second;
    i = end;
  }
  return bound;
}

}  // namespace

std::string demangle(std::string_view linker_name) {
  std::string name{linker_name};
  if (!linker_name.starts_with("_Z") || name.size() > longest_name ||
      (text_bound(linker_name) > longest_demangled &&
       demangled_size(linker_name).value_or(HUGE_VAL) > longest_demangled)) {
    return name;
  }
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text{
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free};
  return status == 0 && text != nullptr ? std::string{text.get()} : name;
}

}  // namespace memprof::symbolize
