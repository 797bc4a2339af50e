// SPDX-License-Identifier: MIT
#include "processes.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <utility>
#include <vector>

extern char** environ;

namespace pairs {
namespace {

std::string line_of(std::vector<double> const& values) {
  std::ostringstream line;
  line.precision(std::numeric_limits<double>::max_digits10);
  for (const double v : values) line << ' ' << v;
  return line.str();
}

std::vector<double> values_of(std::istream& line) {
  std::vector<double> values;
  for (double v = 0; line >> v;) values.push_back(v);
  return values;
}

void append(std::vector<double>& to, std::vector<double> const& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// A line of `write_rounds`, read.
class rounds_file {
 public:
  explicit rounds_file(std::string const& name) : in_(name) {}

  std::istringstream line(std::string_view expected) {
    std::string text;
    std::getline(in_, text);
    std::istringstream words(text);
    std::string first;
    words >> first;
    if (first != expected) throw std::runtime_error("a process's rounds cannot be read");
    return words;
  }
  bool at_end() { return in_.peek() == std::ifstream::traits_type::eof(); }

 private:
  std::ifstream in_;
};

template <class T>
T const* named(std::vector<T const*> const& all, std::string const& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](T const* t) { return t->name == name; });
  if (found == all.end()) throw std::runtime_error("a process measured '" + name + "'");
  return *found;
}

report read_rounds(std::string const& name, options const& o) {
  report r{.how = o.how};
  rounds_file file(name);
  file.line("stacks") >> r.deepest_stack;
  while (!file.at_end()) {
    std::istringstream head = file.line("result");
    std::string workload_name;
    std::size_t n = 0;
    result& added = r.results.emplace_back();
    head >> workload_name >> added.turns >> added.predicted >> n;
    added.what = named(o.workloads, workload_name);
    std::istringstream unwinds = file.line("unwinds");
    added.unwinds = values_of(unwinds);
    for (std::size_t i = 0; i < n; ++i) {
      std::istringstream words = file.line("series");
      std::string variant_name;
      series& s = added.variants.emplace_back();
      words >> variant_name >> s.samples_per_pair;
      s.what = named(o.variants, variant_name);
      s.nanoseconds = values_of(words);
    }
  }
  return r;
}

/// `more` measured the same, for its samples_per_pair to be weighted `share`.
void add(report& all, report const& more, double share) {
  all.deepest_stack = std::max(all.deepest_stack, more.deepest_stack);
  if (all.results.empty()) {
    for (result const& r : more.results) {
      result& fresh = all.results.emplace_back();
      fresh.what = r.what;
      for (series const& s : r.variants) fresh.variants.emplace_back().what = s.what;
    }
  }
  for (std::size_t i = 0; i < more.results.size(); ++i) {
    result& to = all.results.at(i);
    result const& from = more.results[i];
    to.turns += from.turns;
    to.predicted += from.predicted;
    append(to.unwinds, from.unwinds);
    for (std::size_t k = 0; k < from.variants.size(); ++k) {
      append(to.variants.at(k).nanoseconds, from.variants[k].nanoseconds);
      to.variants[k].samples_per_pair += from.variants[k].samples_per_pair * share;
    }
  }
}

void run_once(char** arguments, int rounds, std::string const& file) {
  std::vector<char*> all;
  for (char** each = arguments; *each != nullptr; ++each) all.push_back(*each);
  // The last of an option counts.
  std::string words[] = {"--processes",          "1",           "--rounds",
                         std::to_string(rounds), "--rounds-to", file};
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, all.data(), environ) != 0 ||
      waitpid(child, &status, 0) != child || status != 0) {
    throw std::runtime_error("a process of the measurement failed");
  }
}

}  // namespace

report measure_in_processes(options const& o, char** arguments) {
  const temporary_folder folder;
  report all{.how = o.how};
  for (int i = 0; i < o.how.processes; ++i) {
    const int before = o.how.rounds * i / o.how.processes;
    const int rounds = o.how.rounds * (i + 1) / o.how.processes - before;
    const std::string file = folder.path() / std::to_string(i);
    run_once(arguments, rounds, file);
    add(all, read_rounds(file, o), static_cast<double>(rounds) / o.how.rounds);
  }
  return all;
}

void write_rounds(std::string const& file, report const& r) {
  std::ostringstream text;
  text << "stacks " << r.deepest_stack << '\n';
  for (result const& each : r.results) {
    text << "result " << each.what->name << ' ' << each.turns << ' ' << each.predicted << ' '
         << each.variants.size() << "\nunwinds" << line_of(each.unwinds) << '\n';
    for (series const& s : each.variants) {
      text << "series " << s.what->name << line_of({s.samples_per_pair}) << line_of(s.nanoseconds)
           << '\n';
    }
  }
  write_file(file, text.str());
}

}  // namespace pairs
