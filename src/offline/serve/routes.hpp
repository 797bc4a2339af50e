// SPDX-License-Identifier: MIT
/// \file
/// From requests to answers.
#pragma once

#include <memory>
#include <string>

#include "serve/request.hpp"
#include "serve/served_trace.hpp"

namespace memprof::serve {

/// What is served. Threads may ask at once.
class service {
 public:
  /// other       the second trace of a diff, or null.
  /// version     of memprof.
  service(std::shared_ptr<served_trace> trace, std::shared_ptr<served_trace> other,
          std::string version)
      : trace_(std::move(trace)), other_(std::move(other)), version_(std::move(version)) {}

  /// Never throws but std::bad_alloc: what is wrong with a request is answered, with status 400 and
  /// {"error", "parameter"}; an unknown path with 404.
  [[nodiscard]] response answer(request const& r) const;

 private:
  [[nodiscard]] std::string body_of(request const& r, response& to) const;

  std::shared_ptr<served_trace> trace_, other_;
  std::string version_;
};

}  // namespace memprof::serve
