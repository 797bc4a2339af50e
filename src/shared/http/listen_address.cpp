// SPDX-License-Identifier: MIT
#include "http/listen_address.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "http/request_target.hpp"

namespace memprof::http {
namespace {

[[noreturn]] void refuse(std::string_view address, char const* why) {
  throw std::invalid_argument("'" + std::string(address) + "' " + why);
}

[[noreturn]] void fail(std::string_view address, int error) {
  char const* const why = error == EADDRINUSE ? "is in use already" : std::strerror(error);
  throw std::runtime_error(std::string(address) + (error == EADDRINUSE ? " " : ": ") + why);
}

/// An address of either family.
struct socket_address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  bool loopback = false;

  [[nodiscard]] sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&storage); }
};

descriptor socket_of(int family) noexcept {
  return descriptor::made_by(
      [&] { return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); });
}

std::optional<socket_address> parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = natural_number(text.substr(colon + 1), 65535);
  if (!port) return std::nullopt;
  const std::string host(text.substr(0, colon));
  socket_address result;
  if (host.starts_with('[') && host.ends_with(']')) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(result.storage);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(static_cast<std::uint16_t>(*port));
    const std::string inner = host.substr(1, host.size() - 2);
    if (inet_pton(AF_INET6, inner.c_str(), &v6.sin6_addr) != 1) return std::nullopt;
    result.size = sizeof v6;
    result.loopback = IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
    return result;
  }
  auto& v4 = reinterpret_cast<sockaddr_in&>(result.storage);
  v4.sin_family = AF_INET;
  v4.sin_port = htons(static_cast<std::uint16_t>(*port));
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) != 1) return std::nullopt;
  result.size = sizeof v4;
  result.loopback = ntohl(v4.sin_addr.s_addr) >> 24 == 127;
  return result;
}

descriptor bound(std::string_view address, sockaddr const* where, socklen_t size) {
  descriptor s = socket_of(where->sa_family);
  if (s.get() < 0) fail(address, errno);
  const int on = 1;
  if (where->sa_family == AF_UNIX) {
    fchmod(s.get(), S_IRUSR | S_IWUSR);  // the file that bind makes has this mode from the start
  } else {
    setsockopt(s.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  }
  if (bind(s.get(), where, size) != 0 || listen(s.get(), SOMAXCONN) != 0) fail(address, errno);
  return s;
}

/// Of processes that begin to listen at the same path only one is between its look at what is there
/// and its own socket, so nobody removes what another has just made. A lock of the folder: no file
/// is left behind. Whoever may read the folder may hold it up; then it is given up after a second,
/// and nothing is removed.
class folder_lock {
 public:
  explicit folder_lock(std::string const& path)
      : folder_(descriptor::made_by([name = folder_of(path)] {
          return open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        })) {
    for (int i = 0; i < 100 && !(held_ = flock(folder_.get(), LOCK_EX | LOCK_NB) == 0); ++i) {
      if (errno != EWOULDBLOCK && errno != EINTR) return;
      poll(nullptr, 0, 10);
    }
  }
  [[nodiscard]] bool held() const noexcept { return held_; }

 private:
  static std::string folder_of(std::string const& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
  }

  descriptor folder_;
  bool held_ = false;
};

/// Whether it is a socket of this user's at which nobody listens.
bool is_left_behind(sockaddr_un const& where, struct stat const& there) {
  if (!S_ISSOCK(there.st_mode) || there.st_uid != geteuid()) return false;
  const descriptor asking = socket_of(AF_UNIX);
  return asking.get() >= 0 &&
         connect(asking.get(), reinterpret_cast<sockaddr const*>(&where), sizeof where) != 0 &&
         errno == ECONNREFUSED;
}

listening_socket listen_at_path(std::string_view address, std::string path) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof where.sun_path) {
    refuse(address, "has no path, or one of more than 107 bytes");
  }
  // A zero first would be an abstract name, which every user may connect to.
  if (path.find('\0') != std::string::npos) refuse(address, "has a zero byte");
  std::memcpy(where.sun_path, path.data(), path.size());
  const folder_lock lock(path);
  struct stat there {};
  if (lstat(path.c_str(), &there) == 0 &&
      !(lock.held() && is_left_behind(where, there) && unlink(path.c_str()) == 0)) {
    throw std::runtime_error(path + " exists already; remove it if no program listens there");
  }
  descriptor s = bound(address, reinterpret_cast<sockaddr const*>(&where), sizeof where);
  if (lstat(path.c_str(), &there) != 0) there = {};
  return {.socket = std::move(s),
          .name = std::string(address),
          .path = std::move(path),
          .device = there.st_dev,
          .inode = there.st_ino};
}

std::string name_of(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &size);
  char text[INET6_ADDRSTRLEN] = {};
  if (storage.ss_family == AF_INET6) {
    auto const& v6 = reinterpret_cast<sockaddr_in6 const&>(storage);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return '[' + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  auto const& v4 = reinterpret_cast<sockaddr_in const&>(storage);
  inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  return std::string(text) + ':' + std::to_string(ntohs(v4.sin_port));
}

}  // namespace

void remove_socket_file(listening_socket const& s) noexcept {
  struct stat there {};
  if (s.path.empty() || lstat(s.path.c_str(), &there) != 0) return;
  if (there.st_dev == s.device && there.st_ino == s.inode) unlink(s.path.c_str());
}

listening_socket listen_at(std::string_view address, bool has_token) {
  if (address.starts_with("unix:")) return listen_at_path(address, std::string(address.substr(5)));
  const auto where = parse(address);
  if (!where) refuse(address, "is none of 127.0.0.1:PORT, [::1]:PORT, unix:PATH");
  if (!where->loopback && !has_token) refuse(address, "is not of loopback, and needs a token");
  listening_socket s = listen_at(*where->get(), where->size, address);
  s.loopback = where->loopback;
  return s;
}

listening_socket listen_at(sockaddr const& address, socklen_t size, std::string_view name) {
  descriptor s = bound(name, &address, size);
  std::string own_name = name_of(s.get());
  return {.socket = std::move(s), .name = std::move(own_name), .path = {}};
}

}  // namespace memprof::http
