// SPDX-License-Identifier: MIT
#include "pprof/gzip.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <ostream>
#include <zlib.h>

namespace memprof::pprof {

struct gzip_writer::state {
  z_stream stream{};
};

gzip_writer::gzip_writer(std::ostream& out) : out_(out), state_(std::make_unique<state>()) {
  constexpr int gzip_not_zlib = 16;
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_not_zlib, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

gzip_writer::~gzip_writer() { deflateEnd(&state_->stream); }

void gzip_writer::pump(std::string_view data, int flush) {
  std::array<Bytef, 1 << 14> buffer{};
  z_stream& z = state_->stream;
  constexpr std::size_t most = 1U << 30;  // avail_in is 32 bits wide
  do {
    const std::string_view part = data.substr(0, most);
    data.remove_prefix(part.size());
    // zlib's input pointer is not const, but zlib only reads from it.
    z.next_in = const_cast<Bytef*>(reinterpret_cast<Bytef const*>(part.data()));
    z.avail_in = static_cast<uInt>(part.size());
    do {
      z.next_out = buffer.data();
      z.avail_out = static_cast<uInt>(buffer.size());
      deflate(&z, data.empty() ? flush : Z_NO_FLUSH);
      out_.write(reinterpret_cast<char const*>(buffer.data()),
                 static_cast<std::streamsize>(buffer.size() - z.avail_out));
    } while (z.avail_out == 0);
  } while (!data.empty());
}

void gzip_writer::write(std::string_view data) {
  if (!data.empty()) pump(data, Z_NO_FLUSH);
}

void gzip_writer::finish() { pump({}, Z_FINISH); }

}  // namespace memprof::pprof
