// SPDX-License-Identifier: MIT
#include "trace/packet_file.hpp"

#include <cerrno>
#include <system_error>
#include <unistd.h>

#include "trace/create_file.hpp"

namespace memprof::inline v0::trace {

packet_file::packet_file(std::filesystem::path const& file)
    : name_(file.string()),
      descriptor_(is_pipe_or_device(file) ? open_pipe_or_device(file)
                                          : create_file(without_link(file))) {}

packet_file::~packet_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void packet_file::write(std::span<std::byte const> packet) {
  while (!packet.empty()) {
    ssize_t const written = ::write(descriptor_, packet.data(), packet.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), name_);
    }
    packet = packet.subspan(static_cast<std::size_t>(written));
  }
}

void packet_file::close() {
  if (descriptor_ < 0) return;
  int const descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0 && errno != EINTR) {
    throw std::system_error(errno, std::generic_category(), name_);
  }
}

}  // namespace memprof::inline v0::trace
