// SPDX-License-Identifier: MIT
/// \file
/// From paths to answers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "http/http.hpp"
#include "page_server/served_trace.hpp"
#include "page_server/source_files.hpp"

namespace memprof::page_server {

inline constexpr std::string_view json_type = "application/json; charset=utf-8";
inline constexpr std::string_view index_type = "application/octet-stream";

/// What is served. Threads may ask at once.
class service {
 public:
  /// \param other the second trace of a diff, or null.
  explicit service(std::shared_ptr<served_trace> trace, std::shared_ptr<served_trace> other = {},
                   source_options sources = {})
      : trace_(std::move(trace)), other_(std::move(other)), sources_(std::move(sources)) {}

  /// An unknown path is answered 404, with {"error"}.
  [[nodiscard]] http::response answer(std::string_view path) const;

 private:
  [[nodiscard]] http::response trace_answer() const;
  /// Only of files that frames of the traces name.
  [[nodiscard]] http::response source_answer(std::string_view file) const;

  std::shared_ptr<served_trace> trace_, other_;
  source_files sources_;
};

}  // namespace memprof::page_server
