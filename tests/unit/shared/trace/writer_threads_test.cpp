// SPDX-License-Identifier: MIT
//
// Threads of allocations: written, read again, and what other readers see of them.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

#include "encoding/encoding.hpp"
#include "support/catch2.hpp"

using namespace memprof;
using namespace memprof::trace;
using namespace std::chrono_literals;

namespace {

class threaded_file {
 public:
  threaded_file()
      : path_(std::filesystem::temp_directory_path() /
              ("memprof-threads-" + std::to_string(getpid()) + ".ctf")) {}
  ~threaded_file() { std::filesystem::remove(path_); }
  threaded_file(threaded_file const&) = delete;
  threaded_file& operator=(threaded_file const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  [[nodiscard]] writer write(int version = 3) const {
    info i;
    i.version = version;
    return {path_, i, [](location_code) { return std::span<location const>{}; }};
  }

 private:
  std::filesystem::path path_;
};

struct seen {
  std::uint32_t thread;
  std::uint64_t common_prefix;
  std::vector<location_code> backtrace;
  bool operator==(seen const&) const = default;
};

std::vector<seen> events_of(reader& r) {
  std::vector<seen> all;
  for (event e; r.next(e);) {
    all.push_back({e.thread, e.common_prefix, {e.backtrace.begin(), e.backtrace.end()}});
  }
  return all;
}

std::vector<std::pair<std::uint32_t, std::string>> names_of(reader const& r) {
  std::vector<std::pair<std::uint32_t, std::string>> all;
  for (thread const& t : r.threads()) {
    all.emplace_back(t.number, std::string(t.name) + "/" + std::to_string(t.id));
  }
  return all;
}

std::map<std::uint32_t, std::string> last_names(reader const& r) {
  std::map<std::uint32_t, std::string> last;
  for (auto const& [number, name] : names_of(r)) last[number] = name;
  return last;
}

std::vector<location_code> const stack{0x1001, 0x2001};

}  // namespace

TEST_CASE("allocations of several threads, and of none") {
  threaded_file const f;
  const int version = GENERATE(2, 3);
  writer w = f.write(version);
  w.put(thread{.number = 1, .id = 4711, .name = "main"});
  w.put(thread{.number = 2, .id = 4712, .name = "a worker 7"});
  const object_id first = w.allocation(1us, heap::minor, 3, 1, stack, 0, 1);
  w.allocation(2us, heap::minor, 3, 1, stack, 0, 2);
  w.allocation(3us, heap::major, 300, 2, stack, 0, 2);
  w.allocation(4us, heap::minor, 3, 1, stack);
  w.allocation(5us, heap::minor, 3, 1, {}, 0, 1);
  w.collection(6us, first);
  w.close();
  reader r(f.path());
  CHECK(events_of(r) ==
        std::vector<seen>{
            {1, 0, stack}, {2, 0, stack}, {2, 2, stack}, {0, 0, stack}, {1, 0, {}}, {0, 0, {}}});
  CHECK(names_of(r) == std::vector<std::pair<std::uint32_t, std::string>>{{1, "main/4711"},
                                                                          {2, "a worker 7/4712"}});
}

TEST_CASE("a thread that gets a name later; an id that comes again is another thread") {
  threaded_file const f;
  writer w = f.write();
  w.allocation(1us, heap::minor, 3, 1, stack, 0, 1);  // not named so far
  w.put(thread{.number = 1, .id = 9, .name = "program"});
  w.put(thread{.number = 1, .id = 9, .name = "program"});
  w.allocation(2us, heap::minor, 3, 1, stack, 0, 1);
  w.put(thread{.number = 1, .id = 9, .name = "io"});
  w.put(thread{.number = 2, .id = 9, .name = "io"});
  w.allocation(3us, heap::minor, 3, 1, stack, 0, 1);
  w.allocation(4us, heap::minor, 3, 1, stack, 0, 2);
  w.close();
  reader r(f.path());
  std::vector<std::uint32_t> threads;
  for (seen const& s : events_of(r)) threads.push_back(s.thread);
  CHECK(threads == std::vector<std::uint32_t>{1, 1, 1, 2});
  CHECK(names_of(r) == std::vector<std::pair<std::uint32_t, std::string>>{
                           {1, "/0"}, {1, "program/9"}, {1, "io/9"}, {2, "io/9"}});
}

TEST_CASE("names of threads are cut, not more than so many, and copied") {
  threaded_file const f;
  writer w = f.write();
  w.put(thread{.number = 3, .id = 1, .name = std::string(1000, 'x')});
  w.allocation(0us, heap::minor, 3, 1, stack, 0, 3);
  for (unsigned i = 0; i < 2 * encoding::most_namings; ++i) {
    const std::string name = "n" + std::to_string(i);
    w.put(thread{.number = 4, .id = 1, .name = name});
    w.allocation(1us, heap::minor, 3, 1, stack, 0, 4);
  }
  w.close();
  reader r(f.path());
  const std::vector<seen> events = events_of(r);
  CHECK(events.size() == 1 + 2 * encoding::most_namings);
  CHECK(events.back().thread == 4);
  CHECK(r.threads().size() == 1 + encoding::most_namings);
  CHECK(r.threads().front().name == std::string(64, 'x'));

  std::vector<std::byte> bytes;
  {
    reader from(f.path());
    writer to([&](std::span<std::byte const> p) { bytes.insert(bytes.end(), p.begin(), p.end()); },
              from.info(), [&](location_code code) { return from.locations(code); });
    for (event e; from.next(e);) {
      to.put_notes_of(from);
      to.put(e);
    }
    to.put_notes_of(from);
    to.close();
  }
  {
    std::ofstream out(f.path(), std::ios::binary);
    out.write(reinterpret_cast<char const*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }
  reader copied(f.path());
  const std::vector<seen> copies = events_of(copied);
  REQUIRE(copies.size() == events.size());
  CHECK(std::ranges::equal(copies, events, {}, &seen::thread, &seen::thread));
  CHECK(std::ranges::equal(copies, events, {}, &seen::backtrace, &seen::backtrace));
  // A reader has all names of a packet before its events: of these the last one is copied.
  CHECK(copied.threads().size() < r.threads().size());
  CHECK(last_names(copied) == last_names(r));
}

TEST_CASE(
    "a code of that range which is no thread's is a frame; without backtraces none is known") {
  threaded_file const f;
  const location_code odd = encoding::thread_code(7, 0);
  {
    writer w = f.write();
    w.allocation(1us, heap::minor, 3, 1, std::vector<location_code>{odd, 0x1001});
    w.put(thread{.number = 1, .id = 2, .name = "main"});
    w.allocation(2us, heap::minor, 3, 1, stack, 0, 1);
    w.close();
  }
  reader r(f.path());
  CHECK(events_of(r) == std::vector<seen>{{0, 0, {odd, 0x1001}}, {1, 0, stack}});
  reader quick(f.path(), {.backtraces = false});
  for (event e; quick.next(e);) CHECK(e.thread == 0);
}

TEST_CASE("one thread costs a trace its name alone, a switch of threads some bytes") {
  threaded_file const f;
  std::map<std::string, std::uintmax_t> sizes;
  for (std::string const how : {"none", "one", "in turn"}) {
    {
      writer w = f.write();
      for (std::uint32_t i = 0; i < 1000; ++i) {
        const std::uint32_t thread = how == "none" ? 0 : how == "one" ? 1 : 1 + i % 2;
        w.allocation(1us, heap::minor, 3, 1, stack, 0, thread);
      }
      w.close();
    }
    sizes[how] = std::filesystem::file_size(f.path());
  }
  CHECK(sizes["one"] < sizes["none"] + 200);
  CHECK(sizes["in turn"] <= sizes["one"] + 1000 * 6 + 200);
}
