// SPDX-License-Identifier: MIT
/// \file
/// A table of numbers in a file.
#pragma once

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace statistics {

/// Tab-separated, with a heading that gnuplot takes for names of columns.
class table {
 public:
  table(std::filesystem::path const& folder, std::string const& name, std::string const& heading)
      : path_(folder / (name + ".tsv")), out_(path_) {
    out_.precision(10);
    out_ << heading << '\n';
  }
  void row(std::initializer_list<double> values) {
    char const* separator = "";
    for (double const v : values) {
      out_ << separator << v;
      separator = "\t";
    }
    out_ << '\n';
  }
  /// A blank line: the next curve of the same plot.
  void next_curve() { out_ << "\n\n"; }
  ~table() noexcept(false) {
    out_.close();
    if (!out_) throw std::runtime_error("cannot write " + path_.string());
  }
  table(table const&) = delete;
  table& operator=(table const&) = delete;

 private:
  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace statistics
