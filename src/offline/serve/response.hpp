// SPDX-License-Identifier: MIT
/// \file
/// What is answered, whatever carries it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace memprof::serve {

///  - `body`: shared: an index is large, and several clients may take it at once.
///  - `generation`: of the trace that was asked; 0 if none was.
///  - `gzip`: the body is compressed.
struct response {
  static constexpr std::string_view binary = "application/octet-stream";

  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::shared_ptr<std::string const> body;
  std::uint64_t generation = 0;
  bool gzip = false;

  void set_body(std::string text) { body = std::make_shared<std::string const>(std::move(text)); }
};

}  // namespace memprof::serve
