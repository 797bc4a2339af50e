// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>
#include <istream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace stress {

std::array<op_form, op_kinds> const forms{
    {{"new", 2, false},     {"malloc", 2, false}, {"calloc", 2, false},     {"realloc", 2, false},
     {"aligned", 2, false}, {"module", 2, false}, {"jump", 2, false},       {"sizes", 2, false},
     {"free", 1, false},    {"set", 1, false},    {"signal", 1, false},     {"poll", 0, false},
     {"raise", 0, false},   {"pause", 0, false},  {"allocations", 1, true}, {"exactly", 1, true},
     {"memory", 1, true},   {"token", 1, true},   {"all", 3, true},         {"time", 1, true},
     {"global", 0, true},   {"budget", 1, true},  {"mask", 0, true},        {"noexcept", 0, true},
     {"catch", 0, true},    {"repeat", 1, true},  {"worker", 0, true},      {"fork", 0, true},
     {"fiber", 2, true}}};

namespace {

void print(std::ostream& out, std::vector<op> const& ops, std::size_t indent) {
  for (op const& o : ops) {
    out << std::string(indent, ' ') << o.form().name;
    for (int i = 0; i < o.form().arguments; ++i)
      out << ' ' << o.arguments[static_cast<std::size_t>(i)];
    if (o.form().has_body) {
      out << " {\n";
      print(out, o.body, indent + 2);
      out << std::string(indent, ' ') << '}';
    }
    out << '\n';
  }
}

[[noreturn]] void refuse(std::string const& line) {
  throw std::runtime_error("not a line of a stress program: " + line);
}

/// Operations up to the line "}", or for a thread up to the next one or the end. Returns whether it
/// was a brace.
bool read_ops(std::istream& in, std::vector<op>& ops) {
  std::string line;
  while (in.peek() != 't' && std::getline(in, line)) {
    std::istringstream words(line);
    std::string name;
    if (!(words >> name)) continue;
    if (name == "}") return true;
    const auto* const form =
        std::find_if(forms.begin(), forms.end(), [&](op_form const& f) { return f.name == name; });
    if (form == forms.end()) refuse(line);
    op o{.kind = static_cast<op_kind>(form - forms.begin())};
    for (int i = 0; i < form->arguments; ++i) {
      if (!(words >> o.arguments[static_cast<std::size_t>(i)])) refuse(line);
    }
    if (form->has_body && !read_ops(in, o.body)) refuse(line + " (without its brace)");
    ops.push_back(std::move(o));
  }
  return false;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, program const& p) {
  out << "rate " << p.rate << '\n';
  for (budget_limits const& b : p.budget)
    out << "budget " << b.allocations << ' ' << b.memory << '\n';
  out << "global " << p.global << '\n';
  for (auto const& t : p.threads) {
    out << "thread\n";
    print(out, t, 2);
  }
  return out;
}

program read(std::istream& in) {
  program p;
  std::size_t budgets_read = 0;
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string name;
    if (!(words >> name) || name[0] == '#') continue;
    bool good = true;
    if (name == "rate") {
      good = static_cast<bool>(words >> p.rate);
    } else if (name == "budget" && budgets_read < p.budget.size()) {
      budget_limits& b = p.budget[budgets_read++];
      good = static_cast<bool>(words >> b.allocations >> b.memory);
    } else if (name == "global") {
      good = static_cast<bool>(words >> p.global);
    } else if (name == "thread") {
      good = !read_ops(in, p.threads.emplace_back());
    } else {
      good = false;
    }
    if (!good) refuse(line);
  }
  return p;
}

}  // namespace stress
