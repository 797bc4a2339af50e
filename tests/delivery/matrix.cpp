// SPDX-License-Identifier: MIT
//
// Puts every situation to the pre-flight, raises the interrupt there whatever it said, and
// compares.
//
//     matrix [--retry] [--only NAME]... [--file STEM]... [--known NAME]... [--json | --list]
//
//   --retry   as the library behaves: if refused, try the next allocation. All must end well.
//   --known   a wrong "deliver" in NAME is known: in this build the binary does not tell.
// Ends with 1 if anything was wrong.
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/observation.hpp"
#include "support/situation.hpp"

namespace {

using namespace memprof::test;

struct options {
  std::vector<std::string_view> only;
  std::vector<std::string_view> files;
  std::vector<std::string_view> known;
  method how = method::force;
  bool json = false;
  bool list = false;
};

bool contains(std::vector<std::string_view> const& names, std::string_view name) {
  for (auto const n : names) {
    if (n == name) return true;
  }
  return false;
}

std::string_view stem(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path.substr(0, path.find('.'));
}

/// What the comparison says.
enum class judgement { ok, needless, known, wrong, refused, unreached };

char const* to_string(judgement j) {
  switch (j) {
    case judgement::ok:
      return "ok";
    case judgement::needless:
      return "needless";
    case judgement::known:
      return "known";
    case judgement::wrong:
      return "WRONG";
    case judgement::refused:
      return "REFUSED";
    case judgement::unreached:
      return "UNREACHED";
  }
  return "";
}

judgement judge_forced(situation const& s, observation const& seen, bool known) {
  bool const harm = is_harm(seen.really);
  if (seen.really == reality::not_reached) return judgement::unreached;
  if (seen.deliver) {
    if (!harm && s.expected != expectation::must_defer) return judgement::ok;
    return known ? judgement::known : judgement::wrong;
  }
  if (s.expected == expectation::must_deliver) return judgement::refused;
  return seen.really == reality::delivered ? judgement::needless : judgement::ok;
}

judgement judge(situation const& s, observation const& seen, options const& o) {
  bool const known = s.undecidable != nullptr || contains(o.known, s.name);
  if (o.how == method::force) return judge_forced(s, seen, known);
  if (!is_harm(seen.really)) return judgement::ok;
  return known ? judgement::known : judgement::wrong;
}

struct totals {
  int cases = 0;
  int of[6] = {};
};

std::string escaped(char const* text) {
  std::string result;
  for (char const* c = text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') result += '\\';
    result += *c;
  }
  return result;
}

void print_row(situation const& s, observation const& seen, judgement j, bool json, bool first) {
  char const* const expected = s.expected == expectation::must_deliver ? "must deliver"
                               : s.expected == expectation::must_defer ? "must defer"
                                                                       : "either";
  if (json) {
    std::printf("%s\n  {\"name\": \"%s\", \"file\": \"%s\", \"expected\": \"%s\", ",
                first ? "" : ",", s.name, std::string(stem(s.file)).c_str(), expected);
    std::printf("\"verdict\": \"%s\", \"reason\": \"%s\", \"place\": %ju, \"deferrals\": %u, ",
                seen.deliver ? "deliver" : "defer", escaped(seen.reason.data()).c_str(),
                static_cast<std::uintmax_t>(seen.place), seen.deferrals);
    std::printf("\"reality\": \"%s\", \"detail\": \"%s\", ", to_string(seen.really),
                escaped(seen.detail.data()).c_str());
    std::printf("\"undecidable\": \"%s\", \"judgement\": \"%s\"}",
                s.undecidable != nullptr ? escaped(s.undecidable).c_str() : "", to_string(j));
    return;
  }
  std::string const verdict =
      seen.deliver ? "deliver" : std::string("defer: ") + seen.reason.data();
  std::string really = to_string(seen.really);
  if (seen.detail[0] != '\0') really += std::string(" (") + seen.detail.data() + ")";
  std::printf("%-9s %-42s %-13s %-40s %s\n", to_string(j), s.name, expected, verdict.c_str(),
              really.c_str());
}

options parsed(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    std::string_view const a = argv[i];
    bool const has_value = i + 1 < argc;
    if (a == "--only" && has_value) {
      o.only.emplace_back(argv[++i]);
    } else if (a == "--file" && has_value) {
      o.files.emplace_back(argv[++i]);
    } else if (a == "--known" && has_value) {
      o.known.emplace_back(argv[++i]);
    } else if (a == "--retry") {
      o.how = method::retry;
    } else if (a == "--json") {
      o.json = true;
    } else if (a == "--list") {
      o.list = true;
    } else {
      std::fprintf(stderr, "%s: what is '%s'?\n", argv[0], argv[i]);
      std::exit(2);
    }
  }
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  options const o = parsed(argc, argv);
  totals t;
  if (o.json) std::printf("[");
  for (auto const* s = first_situation(); s != nullptr; s = s->next) {
    if (!o.only.empty() && !contains(o.only, s->name)) continue;
    if (!o.files.empty() && !contains(o.files, stem(s->file))) continue;
    ++t.cases;
    if (o.list) {
      std::printf("%s\n", s->name);
      continue;
    }
    observation const seen = observe({.body = s->body, .how = o.how});
    judgement const j = judge(*s, seen, o);
    ++t.of[static_cast<int>(j)];
    print_row(*s, seen, j, o.json, t.cases == 1);
    std::fflush(stdout);
  }
  if (o.list) return 0;
  if (o.json) std::printf("\n]\n");
  int failures = 0;
  for (auto const j : {judgement::wrong, judgement::refused, judgement::unreached}) {
    failures += t.of[static_cast<int>(j)];
  }
  std::fprintf(stderr,
               "%d situations: %d wrong, %d refused, %d not reached, %d known, %d needless\n",
               t.cases, t.of[3], t.of[4], t.of[5], t.of[2], t.of[1]);
  if (t.cases == 0) std::fprintf(stderr, "no such situation\n");
  return failures == 0 && t.cases > 0 ? 0 : 1;
}
