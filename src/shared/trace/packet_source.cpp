// SPDX-License-Identifier: MIT
#include "trace/packet_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace memprof::inline v0::trace {

namespace {

/// Fits the second-level cache of most processors: what `read` copied is still there for decoding.
constexpr std::size_t usual_capacity = 256 * 1024;

}  // namespace

packet_source::packet_source(int descriptor, std::string const& name)
    : descriptor_(descriptor), name_(name) {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    int const error = errno;
    ::close(descriptor_);
    throw std::system_error(error, std::generic_category(), name_);
  }
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
  // A short file needs no more; should it grow meanwhile, it is read in more steps.
  capacity_ = size_.has_value() ? std::clamp<std::uint64_t>(*size_, largest_count, usual_capacity)
                                : usual_capacity;
  buffer_.reset(new std::byte[capacity_ + slack]());
  begin_ = end_ = buffer_.get();
}

packet_source::~packet_source() { ::close(descriptor_); }

bool packet_source::fill(std::size_t count) {
  std::size_t const kept = available();
  if (kept > 0) std::memmove(buffer_.get(), begin_, kept);
  begin_ = buffer_.get();
  end_ = buffer_.get() + kept;
  while (available() < count && !at_end_) {
    ssize_t const got = ::read(descriptor_, end_, capacity_ - available());
    if (got < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), name_);
    }
    at_end_ = got == 0;
    end_ += got;
    read_ += static_cast<std::uint64_t>(got);
  }
  return available() >= count;
}

}  // namespace memprof::inline v0::trace
