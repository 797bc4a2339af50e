// SPDX-License-Identifier: MIT
#include "symbolize/whole_names.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include "support/catch2.hpp"

namespace trace = memprof::trace;
using namespace memprof::symbolize;

namespace {

/// A reader of a trace with these notes, at its end.
template <class Put>
trace::reader noted(Put&& put) {
  std::filesystem::path const file = std::filesystem::temp_directory_path() /
                                     ("memprof-names-" + std::to_string(getpid()) + ".ctf");
  trace::writer w(file, {}, [](auto) { return std::span<trace::location const>{}; });
  put(w);
  w.close();
  trace::reader reader(file);
  std::filesystem::remove(file);
  for (trace::event e; reader.next(e);) continue;
  return reader;
}

std::string completed(trace::reader const& reader, std::string const& cut) {
  whole_names names;
  const std::vector<trace::location> code{{"a.cpp", "main", 1}, {"b.cpp", cut, 2}};
  const auto whole = names.complete(code, reader);
  REQUIRE(whole.size() == 2);
  CHECK(whole[0] == code[0]);
  CHECK(whole[1].filename == "b.cpp");
  CHECK(whole[1].line == 2);
  return std::string(whole[1].defname);
}

}  // namespace

TEST_CASE("names of any length are read as they were noted") {
  for (const std::size_t size : {1UL, 321UL, 2500UL, 2501UL, 5000UL, 20'000UL, 65'536UL}) {
    std::string whole;
    while (whole.size() < size) whole += static_cast<char>('a' + whole.size() % 26);
    const trace::reader reader = noted([&](trace::writer& w) {
      note_name(w, "cut <...> one", whole);
      note_name(w, "another", "another whole");
      note_name(w, "cut <...> one", whole);  // as of a trace whose names are completed twice
    });
    CHECK(completed(reader, "cut <...> one") == whole);
    CHECK(completed(reader, "another") == "another whole");
    CHECK(completed(reader, "neither") == "neither");
  }
}

TEST_CASE("a name stays cut if a piece of it is lost, or if it is too long to be noted") {
  const auto put = [](trace::writer& w, std::string const& value) {
    w.put(trace::note{name_note, value});
  };
  const trace::reader reader = noted([&](trace::writer& w) {
    put(w, "0 6 lost\nabc");
    put(w, "0 9 hole\nabc");
    put(w, "6 9 hole\nghi");
    put(w, "0 9 mixed\nabc");
    put(w, "3 8 mixed\ndefgh");
    put(w, "0 99999999999999999999 huge\nabc");
    put(w, "0 3\nabc");
    put(w, "3 end");
    note_name(w, "long", std::string(longest_noted_name + 1, 'x'));
  });
  for (char const* cut : {"lost", "hole", "mixed", "huge", "end", "long"}) {
    CHECK(completed(reader, cut) == cut);
  }
}

TEST_CASE("names are completed as soon as their notes are read") {
  whole_names names;
  const std::vector<trace::location> code{{"b.cpp", "cut", 2}};
  const trace::reader none = noted([](trace::writer&) {});
  CHECK(names.complete(code, none).data() == code.data());
  const trace::reader noted_now = noted([](trace::writer& w) { note_name(w, "cut", "whole"); });
  CHECK(names.complete(code, noted_now)[0].defname == "whole");
}
