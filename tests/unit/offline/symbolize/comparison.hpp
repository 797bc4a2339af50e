// SPDX-License-Identifier: MIT
/// \file
/// Compares what the resolver says of many addresses with what addr2line says: the same functions,
/// files and lines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "modules.hpp"
#include "symbolize/resolver.hpp"

namespace memprof::test {

struct comparison {
  std::size_t raw = 0;         // we say nothing
  std::size_t same = 0;        // all frames are the same
  std::size_t same_names = 0;  // and those of which only the files are not
  std::size_t same_lines = 0;  // files and lines are
  std::size_t inlined = 0;
  std::size_t different = 0;
  std::string first;
};

/// `judged`: the file that addr2line reads, where it is not the module itself.
inline comparison compare(folder const& dir, fs::path const& module, fs::path const& judged,
                          symbolize::resolver_options options = {}, std::size_t n = 600,
                          fs::path const& text_of = {}, char const* judge = addr2line) {
  options.shorten = false;
  symbolize::resolver names{options};
  const auto addresses = some_addresses(text_of.empty() ? judged : text_of, n);
  const std::vector<answer> expected = ask(judge, dir, judged, addresses);
  const std::string id = build_id(module);
  comparison c;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const raw_name r = raw(module, addresses[i], id);
    const trace::location l = r.location();
    const auto frames = names.resolve({&l, 1});
    if (frames.size() == 1 && frames[0].defname == r.name) {
      ++c.raw;
      continue;
    }
    answer ours;
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
      ours.emplace_back(f->defname);
      ours.push_back(f->line == 0 ? "??:?"
                                  : std::string{f->filename} + ':' + std::to_string(f->line));
    }
    answer theirs = expected[i];
    // A line that is not known is ":?" there.
    for (std::size_t k = 1; k < theirs.size(); k += 2) {
      if (theirs[k].ends_with(":?") || theirs[k].ends_with(":0")) theirs[k] = "??:?";
    }
    // BFD leaves out what encloses a function without a linker's name.
    for (std::size_t k = 0; k < ours.size() && k < theirs.size(); k += 2) {
      if (ours[k].ends_with("::" + theirs[k])) theirs[k] = ours[k];
    }
    c.inlined += frames.size() > 1 ? 1 : 0;
    bool same_names = ours.size() == theirs.size();
    for (std::size_t k = 0; same_names && k < ours.size(); k += 2) {
      same_names = ours[k] == theirs[k];
    }
    c.same_names += same_names ? 1 : 0;
    bool same_lines = ours.size() == theirs.size();
    for (std::size_t k = 1; same_lines && k < ours.size(); k += 2) {
      same_lines = ours[k] == theirs[k];
    }
    c.same_lines += same_lines ? 1 : 0;
    if (ours == theirs) {
      ++c.same;
    } else if (++c.different == 1) {
      for (std::string const& s : ours) c.first += "ours   " + s + '\n';
      for (std::string const& s : theirs) c.first += "theirs " + s + '\n';
    }
  }
  for (std::string const& notice : names.notices()) c.first += notice + '\n';
  return c;
}

/// BFD gives an inlined function without a linker's name (one of a nameless namespace) that of the
/// function around it: a few addresses in 600.
inline void check_same(comparison const& c) {
  INFO(c.first);
  CHECK(c.different <= 6);
  CHECK(c.same > 500);
  CHECK(c.inlined > 100);
}

}  // namespace memprof::test
