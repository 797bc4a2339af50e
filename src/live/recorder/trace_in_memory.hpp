// SPDX-License-Identifier: MIT
/// \file
/// A file without a name, for a trace that this process reads itself.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace memprof::recorder {

class trace_in_memory {
 public:
  /// \throws std::system_error if there is no memory for it.
  trace_in_memory();
  ~trace_in_memory();
  trace_in_memory(trace_in_memory const&) = delete;
  trace_in_memory& operator=(trace_in_memory const&) = delete;

  /// At its end.
  void write(std::span<std::byte const> bytes) const;
  /// A name under which this process may read it, while this exists.
  [[nodiscard]] std::string file() const;

 private:
  int descriptor_;
};

}  // namespace memprof::recorder
