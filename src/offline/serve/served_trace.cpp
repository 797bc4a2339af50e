// SPDX-License-Identifier: MIT
#include "serve/served_trace.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace memprof::serve {
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

std::shared_ptr<trace_state const> state_of(std::shared_ptr<analysis::trace_index const> index,
                                            std::uint64_t generation, std::string file) {
  auto state = std::make_shared<trace_state>();
  state->whole = std::make_shared<analysis::index_usage const>(analysis::usage_of(index, {}));
  state->errors = std::make_shared<error_cache>(index->facts().info);
  state->index = std::move(index);
  state->generation = generation;
  state->file = std::move(file);
  return state;
}

}  // namespace

served_trace::served_trace(trace_options options)
    : options_(std::move(options)), file_(options_.file) {
  try {
    read();
  } catch (std::exception const&) {
    if (!options_.awaited) throw;
    state_ = state_of(std::make_shared<analysis::trace_index const>(), 1, file_);
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
  auto index = std::make_shared<analysis::trace_index const>(source, options_.names);
  const std::shared_ptr<trace_state const> last = now();
  auto fresh = state_of(std::move(index), last ? last->generation + 1 : 1, options_.file);
  read_at_ = before;
  const std::scoped_lock lock(mutex_);
  state_ = std::move(fresh);
  usages_.clear();
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

std::shared_ptr<analysis::index_usage const> served_trace::usage(
    trace_state const& state, std::vector<analysis::named_text> const& texts,
    bool hide_allocation_functions, bool inlines) {
  const analysis::selection chosen = analysis::selection_of(texts);
  std::string key = fmt::format("{} {} {} ", state.generation, hide_allocation_functions, inlines);
  for (auto const& t : texts) {
    fmt::format_to(std::back_inserter(key), "{}={}{}", t.name, t.value, '\0');
  }

  std::promise<std::shared_ptr<analysis::index_usage const>> promise;
  usage_future found;
  bool ours = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto at = std::find_if(usages_.begin(), usages_.end(),
                                 [&](kept_usage const& k) { return k.key == key; });
    if (at != usages_.end()) {
      usages_.splice(usages_.begin(), usages_, at);
    } else {
      ours = true;
      usages_.push_front({key, promise.get_future().share()});
      if (usages_.size() > most_usages) usages_.pop_back();
    }
    found = usages_.front().value;
  }
  if (ours) {
    try {
      promise.set_value(std::make_shared<analysis::index_usage const>(
          analysis::usage_of(state.index, chosen, hide_allocation_functions, inlines)));
    } catch (...) {
      promise.set_exception(std::current_exception());
      const std::scoped_lock lock(mutex_);
      usages_.remove_if([&](kept_usage const& k) { return k.key == key; });
    }
  }
  return found.get();
}

}  // namespace memprof::serve
