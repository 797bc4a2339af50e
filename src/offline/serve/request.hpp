// SPDX-License-Identifier: MIT
/// \file
/// What is asked, and what is answered, whatever carries it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.hpp"

namespace memprof::serve {

/// path        "/api/graph".
/// parameters  decoded, in their order.
struct request {
  std::string path;
  std::vector<analysis::named_text> parameters;
};

/// "a=1&b=x%20y", decoded; "+" is a blank. What comes twice is there twice, in its order
/// (cpp-httplib drops equal ones, and a path of names may have them).
[[nodiscard]] std::vector<analysis::named_text> parse_query(std::string_view query);

/// generation  of the trace that was asked; 0 if none was.
/// gzip        the body is compressed.
struct response {
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::string body;
  std::uint64_t generation = 0;
  bool gzip = false;
};

/// A parameter that cannot be meant so: answered with status 400, like analysis::selection_error.
using bad_parameter = analysis::selection_error;

/// The parameters of a request, each read once. What is left in the end is no parameter at all.
class parameters {
 public:
  explicit parameters(std::vector<analysis::named_text> const& all) : left_(all) {}

  /// The last of that name, or `otherwise`.
  std::string text(std::string_view name, std::string_view otherwise = "");
  /// All of that name, in order.
  std::vector<std::string> texts(std::string_view name);
  /// The last of that name; those before it are left. Empty if there is none.
  std::string last(std::string_view name);
  /// throws      bad_parameter if it is none of `choices`.
  std::size_t choice(std::string_view name, std::vector<std::string_view> const& choices,
                     std::size_t otherwise = 0);
  /// throws      bad_parameter outside of [least, most].
  std::size_t count(std::string_view name, std::size_t otherwise, std::size_t least,
                    std::size_t most);
  double share(std::string_view name, double otherwise);
  bool flag(std::string_view name, bool otherwise);

  /// Those whose names begin with `prefix`, without it.
  std::vector<analysis::named_text> with_prefix(std::string_view prefix);
  /// The parts of a selection.
  std::vector<analysis::named_text> selection();
  /// throws      bad_parameter if anything is left.
  void finish() const;

 private:
  std::vector<analysis::named_text> left_;
};

}  // namespace memprof::serve
