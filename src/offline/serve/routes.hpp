// SPDX-License-Identifier: MIT
/// \file
/// From paths to answers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "serve/response.hpp"
#include "serve/served_trace.hpp"
#include "serve/source_files.hpp"

namespace memprof::serve {

/// What is served. Threads may ask at once.
class service {
 public:
  /// \param other the second trace of a diff, or null.
  explicit service(std::shared_ptr<served_trace> trace, std::shared_ptr<served_trace> other = {},
                   source_options sources = {})
      : trace_(std::move(trace)), other_(std::move(other)), sources_(std::move(sources)) {}

  /// An unknown path is answered 404, with {"error"}.
  [[nodiscard]] response answer(std::string_view path) const;

 private:
  [[nodiscard]] response trace_answer() const;
  /// Only of files that frames of the traces name.
  [[nodiscard]] response source_answer(std::string_view file) const;

  std::shared_ptr<served_trace> trace_, other_;
  source_files sources_;
};

}  // namespace memprof::serve
