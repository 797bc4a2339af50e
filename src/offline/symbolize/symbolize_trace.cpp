// SPDX-License-Identifier: MIT
#include "symbolize/symbolize_trace.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <stdlib.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <unordered_map>
#include <utility>

#include "memprof/trace/reader.hpp"
#include "memprof/trace/writer.hpp"

#include "symbolize/fit_locations.hpp"
#include "symbolize/module_notes.hpp"
#include "symbolize/whole_names.hpp"
#include "trace/trace.hpp"

namespace memprof::symbolize {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t events_between_progress = 1 << 16;

/// A file that takes its name when it is whole, and leaves nothing behind otherwise.
class pending_file {
 public:
  /// \param mode that of the trace that is read: nobody else may read this one.
  pending_file(fs::path const& target, mode_t mode)
      : target_{trace::without_link(target)} {  // through a link the file is replaced, not the link
    std::string name = target_.native() + ".XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail(name);
    name_ = name;
    struct stat old {};
    if (::stat(target_.c_str(), &old) == 0) {
      mode_ = mode & old.st_mode & 0777;
    } else {
      const mode_t mask = ::umask(0);
      ::umask(mask);
      mode_ = mode & 0666 & ~mask;
    }
  }
  ~pending_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  pending_file(pending_file const&) = delete;
  pending_file& operator=(pending_file const&) = delete;

  void write(std::span<std::byte const> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= 1 << 20) flush();
  }
  void finish() {
    flush();
    if (::fchmod(descriptor_, mode_) != 0 || ::fsync(descriptor_) != 0) fail(name_);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(name_);
    if (::rename(name_.c_str(), target_.c_str()) != 0) fail(target_);
    name_.clear();
  }

 private:
  [[noreturn]] static void fail(fs::path const& file) {
    throw std::system_error{errno, std::generic_category(), file.native()};
  }
  void flush() {
    for (std::size_t done = 0; done < buffer_.size();) {
      const ssize_t n = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(name_);
      done += static_cast<std::size_t>(n);
    }
    buffer_.clear();
  }

  fs::path target_;
  fs::path name_;
  int descriptor_ = -1;
  mode_t mode_ = 0666;
  std::vector<std::byte> buffer_;
};

}  // namespace

symbolize_trace_result symbolize_trace(fs::path const& in, fs::path const& out,
                                       symbolize_trace_options const& options) {
  resolver names{options.names};
  location_fitter fitter;
  module_collector modules;
  symbolize_trace_result result;
  trace::reader reader{in};
  // The writer may ask more than once for a code.
  std::unordered_map<trace::location_code, std::vector<trace::location>> positions;
  const auto lookup = [&](trace::location_code code) -> std::span<trace::location const> {
    const auto [at, fresh] = positions.try_emplace(code);
    if (!fresh) return at->second;
    const std::span<trace::location const> raw = reader.locations(code);
    const std::span<trace::location const> resolved = names.resolve(raw, reader.info().start_time);
    at->second.assign(resolved.begin(), resolved.end());
    const auto in_module = raw.size() == 1 ? parse_raw(raw.front()) : std::nullopt;
    if (in_module) modules.add(code, *in_module);
    if (!std::ranges::equal(raw, resolved)) {
      ++result.resolved;
      fitter.fit(at->second);
    }
    return at->second;
  };
  struct stat read {};
  if (::stat(in.c_str(), &read) != 0) read.st_mode = 0600;
  pending_file file{out, read.st_mode};
  trace::writer writer{[&](std::span<std::byte const> packet) { file.write(packet); },
                       reader.info(), lookup};
  std::size_t converted = 0;
  std::vector<trace::location> stack;
  // The reader returns them before the events of their packet, and times must not decrease.
  const auto put_interrupts = [&](std::chrono::microseconds until) {
    for (; converted < reader.interrupts().size(); ++converted) {
      trace::interrupt i = reader.interrupts()[converted];
      if (i.time > until) return;
      stack.clear();
      for (trace::location const& raw : i.stack) {
        const auto resolved = names.resolve({&raw, 1}, reader.info().start_time);
        stack.insert(stack.end(), resolved.begin(), resolved.end());
      }
      i.stack = stack;
      writer.put(i);
    }
  };
  // Whole names are there before the events whose backtraces have them. What an event shares with
  // the one before was looked up with that.
  const auto put_names_of = [&](trace::event const& e) {
    for (const trace::location_code code :
         e.backtrace.subspan(std::min<std::size_t>(e.common_prefix, e.backtrace.size()))) {
      lookup(code);
    }
    for (auto const& [whole, cut] : fitter.take_new_cuts()) note_name(writer, cut, whole);
  };
  for (trace::event e; reader.next(e);) {
    writer.put_notes_of(reader);
    put_interrupts(e.time);
    put_names_of(e);
    const trace::object_id written = writer.put(e);
    if (written != e.object) {
      throw std::runtime_error{fmt::format("{}: object {} would become {}; no symbols were written",
                                           reader.name(), e.object, written)};
    }
    ++result.events;
    if (options.progress && result.events % events_between_progress == 0) {
      options.progress(reader.bytes_read());
    }
  }
  put_interrupts(std::chrono::microseconds::max());
  writer.put_notes_of(reader);
  writer.flush();  // all codes were looked up
  modules.put(writer);
  writer.close();
  file.finish();
  result.codes = positions.size();
  result.notices.assign(reader.notices().begin(), reader.notices().end());
  result.notices.insert(result.notices.end(), names.notices().begin(), names.notices().end());
  return result;
}

}  // namespace memprof::symbolize
