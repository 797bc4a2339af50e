// SPDX-License-Identifier: MIT
#include "tools/run/report_writer.hpp"

#include <csignal>
#include <exception>
#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "text/text.hpp"
#include "tools/message.hpp"
#include "tools/names.hpp"
#include "tools/shell_words.hpp"
#include "tools/whole_file.hpp"

namespace memprof::tools {
namespace {

void write_whole(std::string const& name, std::string const& text) {
  try {
    write_whole_file(name, text);
  } catch (std::system_error const& e) {
    message(e.what());
  }
}

}  // namespace

report_writer::~report_writer() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    end_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void report_writer::begin(std::string files) try {
  files_ = std::move(files);
  thread_ = std::thread([this] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    run();
  });
} catch (std::system_error const& e) {
  throw std::system_error(e.code(), "the thread that writes reports");
}

void report_writer::write(limit_report report) { add({.report = std::move(report), .line = {}}); }
void report_writer::say(std::string line) { add({.report = {}, .line = std::move(line)}); }

void report_writer::add(job what) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(what));
  }
  changed_.notify_all();
}

void report_writer::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty() && !busy_; });
}

void report_writer::run() {
  const auto names = make_resolver({});
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !jobs_.empty() || end_; });
    if (jobs_.empty()) return;
    job const next = std::move(jobs_.front());
    jobs_.pop_front();
    busy_ = true;
    lock.unlock();
    try {
      next.line.empty() ? write_now(next.report, names) : message(next.line);
    } catch (std::exception const& e) {
      message(fmt::format("the report could not be finished: {}", e.what()));
    }
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void report_writer::write_now(limit_report const& report,
                              std::shared_ptr<symbolize::resolver> const& names) {
  const std::string file = fmt::format("{}.{}", files_, ++number_);
  std::string text = report_text(report, names);
  // At once: the machine may be short of memory.
  say_lines("memprof: " + text);
  std::string profile;
  if (report.snapshot != nullptr) {
    try {
      write_report_profile(report, names, file + ".pb.gz");
      profile = fmt::format("profile: pprof -top {}\n", text::printable(quoted({file + ".pb.gz"})));
    } catch (std::exception const& e) {
      profile = fmt::format("no profile: {}\n", text::printable(e.what()));
    }
  }
  write_whole(file + ".txt", text::with_printable_lines(text + profile, false));
  say_lines(profile);
}

}  // namespace memprof::tools
