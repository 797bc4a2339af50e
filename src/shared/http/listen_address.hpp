// SPDX-License-Identifier: MIT
/// \file
/// Where to listen.
#pragma once

#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/types.h>

#include "http/descriptor.hpp"

namespace memprof::http {

/// A socket that listens.
///
///  - `name`: as listener::address.
///  - `path`: of a unix socket, else empty.
///  - `device`, `inode`: of that file, as long as it is ours.
struct listening_socket {
  descriptor socket;
  std::string name;
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
  bool loopback = false;
};

/// Removes the file of a unix socket, unless another one has taken its place.
void remove_socket_file(listening_socket const& s) noexcept;

/// A unix socket that nobody listens at any more, of a process of this user that was killed, is
/// replaced.
///
/// \note Throws as serve_on, without its name.
[[nodiscard]] listening_socket listen_at(std::string_view address, bool has_token);

/// At an address of the internet, whoever it is open to.
///
/// \param name for messages.
/// \throws std::runtime_error if the address cannot be had.
[[nodiscard]] listening_socket listen_at(sockaddr const& address, socklen_t size,
                                         std::string_view name);

}  // namespace memprof::http
