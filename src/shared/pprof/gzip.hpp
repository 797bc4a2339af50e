// SPDX-License-Identifier: MIT
/// \file
/// gzip, into a stream.
#pragma once

#include <iosfwd>
#include <memory>
#include <string_view>

namespace memprof::pprof {

/// Compresses the text; the same input gives the same bytes.
class gzip_writer {
 public:
  explicit gzip_writer(std::ostream& out);
  ~gzip_writer();
  gzip_writer(gzip_writer const&) = delete;
  gzip_writer& operator=(gzip_writer const&) = delete;

  void write(std::string_view data);
  /// The end of the file, once.
  void finish();

 private:
  struct state;
  void pump(std::string_view data, int flush);
  std::ostream& out_;
  std::unique_ptr<state> state_;
};

}  // namespace memprof::pprof
