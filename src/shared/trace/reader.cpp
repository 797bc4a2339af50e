// SPDX-License-Identifier: MIT
#include "memprof/trace/reader.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <utility>

#include "trace/event_stream.hpp"

namespace memprof::inline v0::trace {

namespace {

int open_file(std::filesystem::path const& file) {
  int const descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), file.string());
  return descriptor;
}

}  // namespace

format_error::format_error(std::string const& file, std::string const& what, std::uint64_t offset)
    : std::runtime_error(file + ": " + what + " at byte " + std::to_string(offset)),
      offset_(offset) {}

struct reader::state {
  event_stream events;
};

reader::reader(std::filesystem::path const& file, reader_options options)
    : reader(open_file(file), file.string(), options) {}

reader::reader(int descriptor, std::string name, reader_options options)
    : state_(new state{event_stream(descriptor, std::move(name), options)}) {}

reader::~reader() = default;
reader::reader(reader&&) noexcept = default;
reader& reader::operator=(reader&&) noexcept = default;

trace::info const& reader::info() const noexcept { return state_->events.packets().info(); }
std::string const& reader::name() const noexcept { return state_->events.packets().name(); }

bool reader::next(event& e) { return state_->events.next(e); }

std::span<location const> reader::locations(location_code code) const {
  return state_->events.locations(code);
}

std::span<interrupt const> reader::interrupts() const noexcept {
  return state_->events.interrupts();
}

std::span<note const> reader::notes() const noexcept { return state_->events.notes(); }

std::span<thread const> reader::threads() const noexcept { return state_->events.threads(); }

std::span<std::string const> reader::notices() const noexcept {
  return state_->events.packets().notices();
}

std::uint64_t reader::bytes_read() const noexcept { return state_->events.packets().bytes_read(); }

std::optional<std::uint64_t> reader::size_bytes() const noexcept {
  return state_->events.packets().size_bytes();
}

}  // namespace memprof::inline v0::trace
