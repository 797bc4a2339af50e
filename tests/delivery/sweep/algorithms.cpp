// SPDX-License-Identifier: MIT
#include <algorithm>
#include <any>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <ranges>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "support/require.hpp"
#include "support/situation.hpp"

namespace {

using memprof::test::require;
using memprof::test::witness;

std::vector<std::string> texts(int n) {
  std::vector<std::string> result;
  for (int i = 0; i < n; ++i) result.emplace_back(30, static_cast<char>('a' + i * 7 % 26));
  return result;
}

MEMPROF_SITUATION(sorting, either) {
  auto v = texts(12);
  std::sort(v.begin(), v.end(), [](std::string a, std::string b) { return a < b; });  // copies
  auto w = texts(20);
  std::stable_sort(w.begin(), w.end());
  std::vector<std::string> merged;
  std::merge(v.begin(), v.end(), w.begin(), w.end(), std::back_inserter(merged));
  std::inplace_merge(merged.begin(), merged.begin() + 10, merged.end());
  require(merged.size() == 32, "sorting");
}

MEMPROF_SITUATION(ranges, either) {
  auto const v = texts(10);
  std::vector<std::string> out;
  for (auto&& s : v | std::views::transform([](std::string const& s) { return s + s; }) |
                      std::views::filter([](std::string const& s) { return s[0] > 'c'; }) |
                      std::views::take(6)) {
    out.push_back(s);
  }
  std::ranges::sort(out, {}, [](std::string const& s) { return s + "x"; });
  require(out.size() == 6, "ranges");
  auto const all = std::accumulate(v.begin(), v.end(), std::string());
  require(all.size() == 300, "accumulate");
}

MEMPROF_SITUATION(functions, either) {
  witness const w;
  std::string const text(50, 'x');
  std::vector<std::function<std::size_t()>> list;
  for (int i = 0; i < 5; ++i)
    list.emplace_back([text, w, i] { return text.size() * std::size_t(i); });
  auto const copy = list;
  std::size_t sum = 0;
  for (auto const& f : copy) sum += f();
  std::any a = text;
  std::any const b = a;
  std::optional<std::tuple<std::string, std::string>> o;
  o.emplace(text, std::any_cast<std::string>(b));
  auto const bound =
      std::bind_front([](std::string t, int n) { return t.size() + std::size_t(n); }, text);
  require(sum == 500 && bound(1) == 51, "functions");
}

MEMPROF_SITUATION(regex, either) {
  std::regex const r("([a-c]+|x*)(\\d{1,3})-(foo|bar)?$", std::regex::icase);
  std::smatch m;
  std::string const text = "abcabc123-FOO";
  require(std::regex_match(text, m, r) && m[2] == "123", "regex match");
  require(std::regex_replace(text, std::regex("b."), "$&$&") == "abcbcabcbc123-FOO",
          "regex replace");
  try {
    std::regex const wrong("(a");
    require(false, "wrong regex");
  } catch (std::regex_error const&) {
  }
}

}  // namespace
