// SPDX-License-Identifier: MIT
//
// Streams set badbit and, in libstdc++, let an interrupt pass (delivery/raise.hpp): the policy is
// to wait for a better place first. Those of libc++ swallow it.
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <ios>
#include <iostream>
#include <locale>
#include <regex>
#include <sstream>
#include <string>

#include "support/situation.hpp"

namespace {

using namespace memprof::test;

/// Allocates for each character written or buffer read.
class allocating_buffer : public std::streambuf {
 protected:
  int_type overflow(int_type c) override {
    interruption();
    return c;
  }
  int_type underflow() override {
    interruption();
    setg(text_, text_, text_ + 3);
    return text_[0];
  }

 private:
  char text_[4] = "12\n";
};

MEMPROF_SITUATION(ostream_swallows_to_badbit, either) {
  allocating_buffer buffer;
  std::ostream out(&buffer);
  out << "text";
}

MEMPROF_SITUATION(ostream_number_swallows, either) {
  allocating_buffer buffer;
  std::ostream out(&buffer);
  out << std::setw(3) << 42;
}

MEMPROF_SITUATION(ostream_exceptions_badbit, either) {
  allocating_buffer buffer;
  std::ostream out(&buffer);
  out.exceptions(std::ios::badbit);
  out << "text";
}

MEMPROF_SITUATION(ostream_flush_endl, either) {
  allocating_buffer buffer;
  std::ostream out(&buffer);
  out << std::endl;
}

// The buffer alone swallows nothing.
MEMPROF_SITUATION(ostringstream_grow, must_deliver) {
  std::ostringstream out;
  interrupt_next();
  out.rdbuf()->sputn("0123456789012345678901234567890123456789", 40);
}

MEMPROF_SITUATION(ostringstream_insert, either) {
  std::ostringstream out;
  interrupt_next();
  out << "0123456789012345678901234567890123456789";
}

MEMPROF_SITUATION(ostringstream_str, must_deliver) {
  std::ostringstream out;
  out << "0123456789012345678901234567890123456789";
  interrupt_next();
  auto const text = out.str();
}

MEMPROF_SITUATION(istream_extract_string, either) {
  std::istringstream in(std::string(100, 'x'));
  std::string word;
  interrupt_next();
  in >> word;
}

MEMPROF_SITUATION(istream_extract_number, either) {
  allocating_buffer buffer;
  std::istream in(&buffer);
  int number = 0;
  in >> number;
}

MEMPROF_SITUATION(istream_getline_loop_hangs_if_swallowed, either) {
  std::istringstream in(std::string(100, 'x') + "\n" + std::string(200, 'y') + "\n");
  std::string line;
  interrupt_next();
  while (!in.eof()) std::getline(in, line);
}

MEMPROF_SITUATION(ifstream_open, must_deliver) {
  interrupt_next();
  std::ifstream const in("/proc/self/stat");
}

MEMPROF_SITUATION(stream_inserter_of_a_type, must_deliver) {
  struct type {
    static void print(std::ostream& out) {
      interruption();
      out << "text";
    }
  };
  std::ostringstream out;
  type::print(out);
}

MEMPROF_SITUATION(locale_facet, either) {
  interrupt_next();
  std::locale const l(std::locale::classic(), new std::numpunct<char>);
}

// Appending is on the list of functions that do not survive it.
MEMPROF_SITUATION(filesystem_path, either) {
  std::filesystem::path p = "/a/long/path/that/does/not/fit/into/a/small/string";
  interrupt_next(3);
  p /= "another/long/name/that/has/several/parts/of/its/own";
}

MEMPROF_SITUATION(filesystem_iterate, either) {
  interrupt_next(4);
  for (auto const& entry : std::filesystem::directory_iterator("/proc/self")) {
    asm volatile("" ::"r"(&entry));
  }
}

MEMPROF_SITUATION(regex_compile, must_deliver) {
  interrupt_next(10);
  std::regex const r("(a|b)*[c-f]+\\d{2,3}(xyz)?");
}

MEMPROF_SITUATION(regex_match, must_deliver) {
  std::regex const r("(a|b)*[c-f]+\\d{2,3}(xyz)?");
  std::smatch match;
  std::string const text = "ababcdef123xyz";
  interrupt_next(2);
  std::regex_match(text, match, r);
}

}  // namespace
