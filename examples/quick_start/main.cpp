// SPDX-License-Identifier: MIT
#include <ginac/ginac.h>
#include <iostream>
#include <string>

#include <memprof/memprof.hpp>

using namespace memprof::literals;

int main() {
  const memprof::limits most{.allocations = 200_MiB, .count = memprof::counting::exact};
  for (std::string text; std::getline(std::cin, text);) {
    auto r = memprof::run_limited(most, [&] { return GiNaC::parser{}(text).expand(); });
    if (r) {
      std::cout << text << " has " << r->value.nops() << " terms, took " << r->allocated.count()
                << " bytes\n";
    } else {
      std::cout << text << ": " << r.error().message() << '\n';
    }
  }
}
