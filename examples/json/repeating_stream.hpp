// SPDX-License-Identifier: MIT
/// \file
/// A stream that repeats a piece of text: a document of hundreds of megabytes in constant memory.
#pragma once

#include <cstdint>
#include <istream>
#include <streambuf>
#include <string>
#include <utility>

namespace example::json {

/// Gives `begin`, then `text` `repeat` times, then `end`, one piece after the other.
class repeating_buffer final : public std::streambuf {
 public:
  repeating_buffer(std::string begin, std::string text, std::uint64_t repeat, std::string end)
      : begin_(std::move(begin)), text_(std::move(text)), end_(std::move(end)), left_(repeat) {
    show(begin_);
  }

 protected:
  // Allocates nothing, so that a limit never interrupts here: an istream would catch it.
  int_type underflow() override {
    while (gptr() == egptr()) {
      if (left_ > 0) {
        --left_;
        show(text_);
      } else if (!ended_) {
        ended_ = true;
        show(end_);
      } else {
        return traits_type::eof();
      }
    }
    return traits_type::to_int_type(*gptr());
  }

 private:
  void show(std::string& piece) { setg(piece.data(), piece.data(), piece.data() + piece.size()); }

  std::string begin_;
  std::string text_;
  std::string end_;
  std::uint64_t left_;
  bool ended_ = false;
};

class repeating_stream final : public std::istream {
 public:
  repeating_stream(std::string head, std::string text, std::uint64_t repeat, std::string tail)
      : std::istream(nullptr), buffer_(std::move(head), std::move(text), repeat, std::move(tail)) {
    rdbuf(&buffer_);
  }

 private:
  repeating_buffer buffer_;
};

}  // namespace example::json
