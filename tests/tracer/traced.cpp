// SPDX-License-Identifier: MIT
#include "traced.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <unordered_map>

#include "memprof/trace/reader.hpp"

#include "support/allocate.hpp"

namespace memprof::test {
namespace {

enum class life { born, promoted, collected };

struct object {
  life now;
  bool minor;
  bool marked;
};

/// Applies one event to what is known of its object; what is wrong with that.
std::string follow(std::unordered_map<std::uint64_t, object>& objects, trace::event const& e,
                   bool& marked) {
  using trace::event_kind;
  if (e.kind == event_kind::allocation) {
    marked = is_marked(e.length);
    const object born{life::born, e.source == trace::heap::minor, marked};
    return objects.emplace(e.object, born).second ? "" : "an id twice";
  }
  const auto found = objects.find(e.object);
  if (found == objects.end()) return "an event of no object";
  object& o = found->second;
  marked = o.marked;
  if (o.now == life::collected) return "an event after the collection";
  if (e.kind == event_kind::promotion && (o.now != life::born || !o.minor)) {
    return "promoted twice, or not minor";
  }
  o.now = e.kind == event_kind::promotion ? life::promoted : life::collected;
  return "";
}

void tally(traced& t, trace::event const& e) {
  switch (e.kind) {
    case trace::event_kind::allocation:
      ++(e.source == trace::heap::minor   ? t.minor
         : e.source == trace::heap::major ? t.major
                                          : t.external);
      t.words += e.length;
      t.marked_samples += e.n_samples;
      t.deepest = std::max(t.deepest, e.backtrace.size());
      break;
    case trace::event_kind::promotion:
      ++t.promoted;
      break;
    case trace::event_kind::collection:
      ++t.collected;
      break;
  }
}

}  // namespace

folder::folder() {
  std::string name = (std::filesystem::temp_directory_path() / "memprof-tracer-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = name;
}

folder::~folder() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

std::vector<std::string> folder::files() const {
  std::vector<std::string> all;
  for (auto const& entry : std::filesystem::directory_iterator(path_)) {
    all.push_back(entry.path().string());
  }
  std::ranges::sort(all);
  return all;
}

traced read_trace(std::string const& file) {
  traced t;
  try {
    trace::reader reader(file);
    t.info = reader.info();
    std::unordered_map<std::uint64_t, object> objects;
    std::chrono::microseconds last{0};
    for (trace::event e; reader.next(e);) {
      ++t.events;
      t.samples += e.n_samples;
      bool marked = false;
      std::string const wrong = e.time < last ? "time goes back" : follow(objects, e, marked);
      if (!wrong.empty()) {
        t.error = wrong + ", event " + std::to_string(t.events);
        return t;
      }
      last = e.time;
      if (!marked) continue;
      tally(t, e);
      for (const auto code : e.backtrace) {
        for (auto const& l : reader.locations(code)) ++t.names[std::string(l.defname)];
      }
    }
    t.notices.assign(reader.notices().begin(), reader.notices().end());
  } catch (std::exception const& e) {
    t.error = e.what();
  }
  return t;
}

void allocate_marked(int minor, int major) {
  for (int i = 0; i < std::max(minor, major); ++i) {
    const auto extra = static_cast<std::size_t>(i % 32) * 8;
    if (i < minor) release(allocate(1600 + extra), 1600 + extra);
    if (i < major) release(allocate(40000 + extra), 40000 + extra);
  }
}

ended in_child(std::function<void()> const& f) {
  int error[2];
  if (pipe(error) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    for (const int s : {SIGSEGV, SIGABRT, SIGTERM}) signal(s, SIG_DFL);  // not Catch's
    dup2(error[1], STDERR_FILENO);
    close(error[0]);
    close(error[1]);
    try {
      f();
    } catch (std::exception const& e) {
      [[maybe_unused]] const auto n = write(STDERR_FILENO, e.what(), std::string(e.what()).size());
      _exit(99);
    }
    _exit(0);
  }
  close(error[1]);
  ended end{0, {}};
  char part[512];
  for (ssize_t n; (n = read(error[0], part, sizeof part)) > 0;) {
    end.said.append(part, static_cast<std::size_t>(n));
  }
  close(error[0]);
  int status = 0;
  waitpid(child, &status, 0);
  end.status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

}  // namespace memprof::test
