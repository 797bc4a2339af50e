// SPDX-License-Identifier: MIT
//
// What an allocation costs, and what memory is taken, when one thing grows. run.py runs this
// program and its bare twin over all sizes.
//
//     growth SUBJECT SIZE
//
// SUBJECT: heap (bytes), samples, threads, nested, sequential, depth. Prints one line of JSON.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "measure.hpp"

namespace {

constexpr struct {
  std::string_view name;
  growth::findings (*run)(std::int64_t);
} subjects[] = {
    {"heap", growth::heap},     {"samples", growth::samples},       {"threads", growth::threads},
    {"nested", growth::nested}, {"sequential", growth::sequential}, {"depth", growth::depth},
};

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t size = argc == 3 ? std::atoll(argv[2]) : 0;
  for (auto const& subject : subjects) {
    if (size <= 0 || subject.name != argv[1]) continue;
    driving::print(subject.run(size));
    return 0;
  }
  std::fputs("usage: growth heap|samples|threads|nested|sequential|depth SIZE\n", stderr);
  return 2;
}
