// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>

#include "support/require.hpp"
#include "support/situation.hpp"

namespace {

using memprof::test::require;

// A swallowed interrupt sets badbit: then what was read and written is not what it should be.
MEMPROF_SITUATION(string_streams, either) {
  std::ostringstream out;
  for (int i = 0; i < 20; ++i) {
    out << "line " << std::setw(30) << i << ' ' << 1.5 * i << ' ' << std::string(40, 'x') << '\n';
  }
  std::istringstream in(out.str());
  std::string line;
  int lines = 0;
  while (std::getline(in, line)) ++lines;
  require(lines == 20 || !out || in.bad(), "lines");
  std::istringstream words(
      "some words that are longer than a small string can be: "
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 42 3.5");
  std::string word;
  int n = 0;
  while (words >> word) ++n;
  require(n == 14 || words.bad(), "words");
}

MEMPROF_SITUATION(files, either) {
  namespace fs = std::filesystem;
  fs::path const here = fs::temp_directory_path() / "a name that is not short at all" / ".." / "x";
  require(here.lexically_normal().filename() == "x", "path");
  std::ifstream in("/proc/self/status");
  std::string line;
  int lines = 0;
  while (std::getline(in, line) && lines < 10) ++lines;
  require(lines == 10 || in.bad(), "file");
  std::error_code error;
  require(!fs::exists("/no/such/file/there/is/not/one", error), "exists");
}

MEMPROF_SITUATION_BECAUSE(locales, either,
                          "libstdc++ 12: a facet leaks if std::locale gets no memory") {
  std::locale const l(std::locale::classic(), new std::numpunct<char>);
  std::ostringstream out;
  out.imbue(l);
  out << 1234567.25;
  require(out.str() == "1.23457e+06" || out.bad(), "number");
}

}  // namespace
