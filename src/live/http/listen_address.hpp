// SPDX-License-Identifier: MIT
/// \file
/// Where to listen.
#pragma once

#include <string>
#include <string_view>

namespace memprof::http {

/// A descriptor; closed when this is destroyed.
class descriptor {
 public:
  explicit descriptor(int number = -1) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor();

  [[nodiscard]] int get() const noexcept { return number_; }

 private:
  int number_;
};

/// A socket that listens.
///
/// name        as listener::address.
/// path        of a unix socket, to be removed at the end; else empty.
struct listening_socket {
  descriptor socket;
  std::string name;
  std::string path;
  bool loopback = false;
};

/// throws      std::invalid_argument and std::runtime_error as serve_on, without its name.
[[nodiscard]] listening_socket listen_at(std::string_view address, bool has_token);

}  // namespace memprof::http
