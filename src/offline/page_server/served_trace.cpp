// SPDX-License-Identifier: MIT
#include "page_server/served_trace.hpp"

#include <chrono>
#include <exception>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "page_server/packed_index.hpp"

namespace memprof::page_server {
namespace {

/// memtrace's writers and ours hold a lock on their file as long as they write.
bool locked_by_another(std::string const& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct flock whole {};
  whole.l_type = F_RDLCK;
  whole.l_whence = SEEK_SET;
  const bool locked = ::fcntl(descriptor, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  ::close(descriptor);
  return locked;
}

}  // namespace

served_trace::served_trace(trace_options options)
    : options_(std::move(options)), file_(options_.file) {
  try {
    read();
  } catch (std::exception const&) {
    if (!options_.awaited) throw;
    adopt({});
    read_at_ = {};
  }
}

std::shared_ptr<trace_state const> served_trace::now() const {
  const std::scoped_lock lock(mutex_);
  return state_;
}

served_trace::stamp served_trace::stamp_of_file() const {
  std::error_code none;
  stamp s;
  s.size = std::filesystem::file_size(options_.file, none);
  if (none) s.size = 0;
  s.time = std::filesystem::last_write_time(options_.file, none);
  return s;
}

void served_trace::read() {
  // Before the reading: what is written meanwhile is seen the next time.
  const stamp before = stamp_of_file();
  analysis::trace_source source(options_.file, options_.recover);
  adopt(analysis::trace_index(source, options_.names, options_.most));
  read_at_ = before;
}

void served_trace::adopt(analysis::trace_index const& index) {
  auto const last = now();
  auto fresh = std::make_shared<trace_state>();
  fresh->generation = last ? last->generation + 1 : 1;
  fresh->damage = index.facts().damage;
  frame_tree tree(index, options_.most_calls);
  fresh->facts = trace_json(index.facts(), options_.file, options_.version, fresh->generation,
                            {.objects = index.objects().size(), .ends = tree.ends()});
  fresh->index = std::make_shared<std::string const>(pack(index, tree, fresh->facts));
  fresh->sources = std::move(tree.sources);
  const std::scoped_lock lock(mutex_);
  state_ = std::move(fresh);
}

bool served_trace::refresh() {
  {
    const std::scoped_lock lock(mutex_);
    options_.file = file_;
  }
  const stamp seen = stamp_of_file();
  if (seen == read_at_ || seen.size == 0) return false;
  try {
    read();
    return true;
  } catch (std::exception const&) {
    read_at_ = seen;  // the beginning of a file that is being written, or none any more
    return false;
  }
}

void served_trace::follow(std::string file) {
  const std::scoped_lock lock(mutex_);
  file_ = std::move(file);
}

bool served_trace::growing() const {
  const std::string file = [&] {
    const std::scoped_lock lock(mutex_);
    return file_;
  }();
  if (locked_by_another(file)) return true;
  std::error_code none;
  const auto changed = std::filesystem::last_write_time(file, none);
  if (none) return options_.awaited;
  const auto age = std::filesystem::file_time_type::clock::now() - changed;
  return age > std::chrono::seconds(-5) && age < std::chrono::seconds(5);
}

}  // namespace memprof::page_server
