// SPDX-License-Identifier: MIT
/// \file
/// A std::ostream into an output_file, for what is written piece by piece.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

#include "tools/output_file.hpp"

namespace memprof::tools {

/// flush() it before the file is committed. What output_file throws comes out of the operators.
class output_stream : public std::ostream {
 public:
  explicit output_stream(output_file& file) : std::ostream(nullptr), buffer_(file) {
    rdbuf(&buffer_);
    exceptions(badbit);  // lets the buffer's exceptions through
  }

 private:
  class file_buffer : public std::streambuf {
   public:
    explicit file_buffer(output_file& file) : file_(file) {}

   protected:
    int_type overflow(int_type c) override {
      if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
      const char one = traits_type::to_char_type(c);
      file_.write(std::string_view(&one, 1));
      return c;
    }
    std::streamsize xsputn(char const* text, std::streamsize n) override {
      file_.write(std::string_view(text, static_cast<std::size_t>(n)));
      return n;
    }

   private:
    output_file& file_;
  };
  file_buffer buffer_;
};

}  // namespace memprof::tools
