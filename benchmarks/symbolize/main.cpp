// SPDX-License-Identifier: MIT
//
// Names addresses of one module, as `addr2line -a -i -f -C -e MODULE` does: compare.py runs both.
//
//     memprof-benchmark-symbolize MODULE < addresses
#include <iostream>
#include <string>

#include "symbolize/elf_image.hpp"
#include "symbolize/symbolize.hpp"

int main(int argc, char** argv) {
  using namespace memprof;
  if (argc != 2) {
    std::cerr << "usage: memprof-benchmark-symbolize MODULE < addresses\n";
    return 2;
  }
  std::ios::sync_with_stdio(false);
  const std::string module = std::filesystem::canonical(argv[1]);
  std::string reason;
  const auto image = symbolize::elf_image::open(module, reason);
  if (image == nullptr) {
    std::cerr << module << ": " << reason << '\n';
    return 1;
  }
  const std::string id = image->build_id().substr(0, 16);
  const std::string base = module.substr(module.rfind('/') + 1) + '+';
  symbolize::resolver names{
      {.debug_directories = {"/usr/lib/debug"}, .sysroot = {}, .shorten = false}};
  for (std::string address; std::cin >> address;) {
    const std::string name = base + address + (id.empty() ? "" : '@' + id);
    const trace::location raw{module, name, 0, 0, 0};
    const auto frames = names.resolve({&raw, 1});
    std::cout << address << '\n';
    for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
      std::cout << f->defname << '\n' << f->filename << ':' << f->line << '\n';
    }
  }
}
