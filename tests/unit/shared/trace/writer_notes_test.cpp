// SPDX-License-Identifier: MIT
//
// Notes in a trace: written, read again, and no events; and what `flush` makes visible.
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include "memprof/trace/note.hpp"
#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::trace;
using namespace std::chrono_literals;

namespace {

class noted_file {
 public:
  noted_file()
      : path_(std::filesystem::temp_directory_path() /
              ("memprof-notes-" + std::to_string(getpid()) + ".ctf")) {}
  ~noted_file() { std::filesystem::remove(path_); }
  noted_file(noted_file const&) = delete;
  noted_file& operator=(noted_file const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

info about_notes() {
  info i;
  i.executable_name = "program";
  return i;
}

writer write_to(noted_file const& f) {
  return {f.path(), about_notes(), [](location_code) { return std::span<location const>{}; }};
}

std::vector<std::pair<std::string, std::string>> notes_in(noted_file const& f,
                                                          std::uint64_t& events) {
  reader r(f.path(), {});
  events = 0;
  for (event e; r.next(e);) ++events;
  std::vector<std::pair<std::string, std::string>> all;
  for (note const& n : r.notes()) all.emplace_back(n.name, n.value);
  return all;
}

}  // namespace

TEST_CASE("notes before, among and after events") {
  noted_file const f;
  writer w = write_to(f);
  std::vector<location_code> const stack{0x1001, 0x2001};
  w.put(note{.name = "first", .value = "1"});
  w.allocation(1us, heap::minor, 3, 1, stack);
  w.put(note{.name = "second", .value = "a=b"});
  w.allocation(2us, heap::minor, 3, 1, stack);
  w.put(note{.name = "third", .value = ""});
  w.close();
  std::uint64_t events = 0;
  CHECK(notes_in(f, events) == std::vector<std::pair<std::string, std::string>>{
                                   {"first", "1"}, {"second", "a=b"}, {"third", ""}});
  CHECK(events == 2);
}

TEST_CASE("a long note is cut, and a zero ends it") {
  noted_file const f;
  writer w = write_to(f);
  w.put(note{.name = "long", .value = std::string(10'000, 'x')});
  w.put(note{.name = "zero", .value = std::string_view("ab\0cd", 5)});
  w.close();
  std::uint64_t events = 0;
  auto const notes = notes_in(f, events);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].second == std::string(3000 - 5, 'x'));
  CHECK(notes[1].second == "ab");
}

TEST_CASE("after a flush a reader sees what was written; without events it writes nothing") {
  noted_file const f;
  writer w = write_to(f);
  auto const begun = std::filesystem::file_size(f.path());
  w.flush();
  CHECK(std::filesystem::file_size(f.path()) == begun);
  std::vector<location_code> const stack{0x1001};
  w.allocation(1us, heap::minor, 3, 1, stack);
  std::uint64_t events = 0;
  notes_in(f, events);
  CHECK(events == 0);
  w.flush();
  notes_in(f, events);
  CHECK(events == 1);
  auto const flushed = std::filesystem::file_size(f.path());
  w.flush();
  CHECK(std::filesystem::file_size(f.path()) == flushed);
}

TEST_CASE("notes keep their places among the events, also in a copy") {
  noted_file const f;
  std::vector<location_code> const stack{0x1001};
  {
    writer w = write_to(f);
    w.allocation(1us, heap::minor, 3, 1, stack);
    w.put(note{.name = "a", .value = "1"});
    w.put(note{.name = "b", .value = "2"});
    w.allocation(2us, heap::minor, 3, 1, stack);
    w.close();
  }
  std::vector<std::byte> copied;
  reader from(f.path(), {});
  writer copy(
      [&](std::span<std::byte const> packet) {
        copied.insert(copied.end(), packet.begin(), packet.end());
      },
      about_notes(), [](location_code) { return std::span<location const>{}; });
  std::vector<std::size_t> seen;
  for (event e; from.next(e);) {
    seen.push_back(from.notes().size());
    copy.put_notes_of(from);
    copy.put(e);
  }
  copy.put_notes_of(from);
  copy.close();
  CHECK(seen == std::vector<std::size_t>{0, 2});
  std::ofstream(f.path(), std::ios::binary)
      .write(reinterpret_cast<char const*>(copied.data()),
             static_cast<std::streamsize>(copied.size()));
  reader again(f.path(), {});
  std::vector<std::size_t> seen_again;
  for (event e; again.next(e);) seen_again.push_back(again.notes().size());
  CHECK(seen_again == seen);
}
